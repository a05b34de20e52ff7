// Usage for the owner: runs, tokens, cost, failures and repeated alerts.

import { useLocation } from 'preact-iso';
import type { CalibrationRow } from '../../../../shared/evidence/calibration.ts';
import { api } from '../../api/client.ts';
import { serverNow } from '../../api/clock.ts';
import { useResource } from '../../api/useResource.ts';
import { PageHead } from '../../frame/Frame.tsx';
import frame from '../../frame/frame.module.css';
import { withParameter } from '../../model/address.ts';
import { countText, durationText, momentText, numberText } from '../../model/format.ts';
import { type Ratings, ratingsByChain } from '../../model/reviews.ts';
import { Bars } from '../../parts/Bars.tsx';
import { Note } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { NotRead, Reading } from '../../parts/Reading.tsx';
import reading from '../../parts/reading.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { BudgetTable } from './BudgetTable.tsx';
import { Calibration } from './Calibration.tsx';
import { DayChart } from './DayChart.tsx';
import { GroupTable, type TableGrouping } from './GroupTable.tsx';
import { repeatedAlerts } from './repeatedAlerts.ts';
import { byServer, dailyValues, GROUPINGS, sumMeasure, sumRowCost, type UsageRow } from './report.ts';
import s from './usage.module.css';
import { type Report, useReport } from './useReport.ts';

const RANGES = [7, 30, 90];
const USUAL = 30;
const TABLES: readonly TableGrouping[] = [...GROUPINGS.filter((by) => by !== 'day'), 'server'];
/** Sessions that are looked through for alerts that came again. */
const NEWEST = 200;
const REPEATED = 10;
const BUDGETS = 'No data. Budgets in system.yaml enable counting of sessions and tokens.';

/** The page of usage. */
export function UsagePage() {
  const { query } = useLocation();
  const days = RANGES.find((range) => String(range) === query.days) ?? USUAL;
  const by = TABLES.find((name) => name === query.by) ?? 'chain';
  // Usage is shown without them until they are read, and when they cannot be read.
  const reviews = useResource((left) => api.get('/v1/calibration', { days }, left), [days]).value.value
    ?.calibration;
  return (
    <>
      <PageHead title="Usage">
        <p class={parts.meta}>Ended sessions by the day on which they were opened, in UTC.</p>
      </PageHead>
      <div class={`${frame.page} ${s.sections} ${reading.inOrder}`}>
        <Choice
          label="Period"
          name="days"
          current={String(days)}
          choices={RANGES.map((range) => ({ value: String(range), text: `${range} days` }))}
          usual={String(USUAL)}
        />
        <ByDay days={days} />
        <BudgetTable />
        <ByGroup by={by} days={days} reviews={reviews} />
        {reviews && reviews.length > 0 && <Calibration rows={reviews} />}
        <Repeated />
      </div>
    </>
  );
}

interface ChoiceProps {
  label: string;
  /** The parameter of the address. */
  name: string;
  current: string;
  choices: { value: string; text: string }[];
  /** The value without the parameter. */
  usual: string;
}

function Choice({ label, name, current, choices, usual }: ChoiceProps) {
  const { route } = useLocation();
  return (
    <fieldset class={s.choice} aria-label={label}>
      {choices.map(({ value, text }) => (
        <button
          key={value}
          type="button"
          class={parts.chip}
          aria-pressed={value === current}
          onClick={() => route(withParameter(location.href, name, value === usual ? '' : value), true)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}

function ByDay({ days }: { days: number }) {
  const { value, error, reload } = useReport('day', days);
  const report = value.value;
  if (error.value) return <NotRead error={error.value} onRetry={reload} needs="admin" />;
  if (report === undefined) return <Bars />;
  const { rows, from } = report;
  const shown = { days: from === 'counted' ? Math.min(days, 30) : days, now: serverNow() };
  if (from === 'report' && rows.length === 0)
    return <Note>No session that was opened in these days has ended.</Note>;
  return (
    <>
      {from === 'counted' && (
        <p class={parts.box}>
          This server has no usage report. Shown: counts of budgets, last {shown.days} days.
        </p>
      )}
      <Totals rows={rows} />
      <div class={s.split}>
        <DayChart
          title="Tokens by day"
          unit="token"
          days={dailyValues(rows, 'tokens', shown)}
          why={BUDGETS}
        />
        <DayChart
          title="Sessions by day"
          unit="session"
          days={dailyValues(rows, 'sessions', shown)}
          why={BUDGETS}
        />
      </div>
    </>
  );
}

function Totals({ rows }: { rows: readonly UsageRow[] }) {
  const failed = sumMeasure(rows, 'failed');
  const durationMs = sumMeasure(rows, 'durationMs');
  const pairs = [
    { name: 'Sessions', text: formatCountedValue(sumMeasure(rows, 'sessions'), numberText) },
    {
      name: 'Failed or timed out',
      text: formatCountedValue(failed, numberText),
      href: failed ? '/?show=failed' : undefined,
    },
    { name: 'Time', text: formatCountedValue(durationMs, durationText) },
    { name: 'Tokens', text: formatCountedValue(sumMeasure(rows, 'tokens'), numberText) },
    { name: 'Cost of models', text: sumRowCost(rows) },
  ];
  return (
    <dl class={`${parts.panel} ${s.totals}`}>
      {pairs.map(({ name, text, href }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{href === undefined ? text : <a href={href}>{text}</a>}</dd>
        </div>
      ))}
    </dl>
  );
}

function formatCountedValue(value: number | null, write: (value: number) => string): string {
  return value === null ? 'not counted' : write(value);
}

interface ByGroupProps {
  by: TableGrouping;
  days: number;
  /** Undefined until they are read. */
  reviews: readonly CalibrationRow[] | undefined;
}

function ByGroup({ by, days, reviews }: ByGroupProps) {
  const report = useReport(by === 'server' ? 'tool' : by, days);
  const ratings = by === 'chain' && reviews && reviews.length > 0 ? ratingsByChain(reviews) : undefined;
  return (
    <section class={parts.panel} aria-labelledby="by">
      <div class={parts.panelHead}>
        <h2 id="by">By {by}</h2>
        <Choice
          label="Summed by"
          name="by"
          current={by}
          choices={TABLES.map((name) => ({ value: name, text: name }))}
          usual="chain"
        />
      </div>
      <Reading resource={report} needs="admin">
        {(read) => <Group by={by} report={read} ratings={ratings} />}
      </Reading>
    </section>
  );
}

interface GroupProps {
  by: TableGrouping;
  report: Report;
  ratings: ReadonlyMap<string, Ratings> | undefined;
}

function Group({ by, report: { rows, from, countedSince }, ratings }: GroupProps) {
  if (from === 'none') return <p class={s.empty}>This server does not count usage by {by}.</p>;
  if (rows.length === 0)
    return <p class={s.empty}>{from === 'counted' ? BUDGETS : 'No data in these days.'}</p>;
  return (
    <>
      <GroupTable by={by} rows={by === 'server' ? byServer(rows) : rows} ratings={ratings} />
      {countedSince && <p class={s.note}>Counted since {momentText(countedSince, serverNow())}.</p>}
    </>
  );
}

function Repeated() {
  const sessions = useResource((left) => api.get('/v1/sessions', { limit: NEWEST }, left));
  return (
    <section class={parts.panel} aria-labelledby="repeated">
      <div class={parts.panelHead}>
        <h2 id="repeated">Repeated alerts</h2>
        <span class={parts.meta}>among the newest {NEWEST} sessions</span>
      </div>
      <Reading resource={sessions} needs="viewer">
        {({ sessions: rows }) => <RepeatedList alerts={repeatedAlerts(rows, REPEATED)} />}
      </Reading>
    </section>
  );
}

function RepeatedList({ alerts }: { alerts: ReturnType<typeof repeatedAlerts> }) {
  if (alerts.length === 0) return <p class={s.empty}>None.</p>;
  return (
    <ol class={s.items}>
      {alerts.map(({ title, source, sessionId, sessions, reports }) => (
        <li key={sessionId}>
          <a href={`/?q=${encodeURIComponent(title)}`}>
            <Untrusted text={title} />
          </a>
          <span class={parts.meta}>
            <bdi>{source}</bdi> · reported {countText(reports, 'time')}, {countText(sessions, 'session')}
          </span>
        </li>
      ))}
    </ol>
  );
}
