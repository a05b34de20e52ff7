// A session in the list.

import type { ComponentChildren } from 'preact';
import { placeText } from '../../../shared/alerts/alertLocation.ts';
import type { SessionWork } from '../../../shared/lists/apiTypes.ts';
import { verdictWord } from '../../../shared/text/verdictWord.ts';
import { serverNow, tick } from '../api/clock.ts';
import { compareAddress } from '../model/address.ts';
import { caveatWords } from '../model/caveats.ts';
import { beganText, besideLocal, costFact, countText, durationText } from '../model/format.ts';
import { type Ratings, reviewWords, workWords } from '../model/reviews.ts';
import { hasEnded } from '../model/status.ts';
import { Icon } from '../parts/Icon.tsx';
import { ProblemBadge } from '../parts/ProblemBadge.tsx';
import { Severity } from '../parts/Severity.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import s from './list.module.css';
import type { ListRow } from './rows.ts';

/** Statuses that require no action have no tint. */
const PLAIN = new Set<string | null>(['completed', 'cancelled', 'deferred', null]);

interface ItemProps {
  row: ListRow;
  ratings: Ratings | undefined;
  /** Undefined when it is neither claimed nor resolved. */
  work: SessionWork | undefined;
}

/** A column of the list. */
interface Column {
  title: string;
  /** Its track in the grid. */
  width: string;
  /** Its track in a narrow window; `below` for a line of its own. */
  narrow: 'hidden' | 'below' | 'auto' | 'minmax(0, 1fr)';
  style?: string | undefined;
  cell(props: ItemProps): ComponentChildren;
}

/** The columns in their order: all that a new one needs. */
export const COLUMNS: readonly Column[] = [
  {
    title: 'Problem and status',
    width: '14.5rem',
    narrow: 'minmax(0, 1fr)',
    cell: ({ row: { problem = null, shown } }) => (
      <div class={s.states}>
        <ProblemBadge problem={problem} isShort />
        <Status status={shown} plain={PLAIN.has(shown)} />
      </div>
    ),
  },
  { title: 'Alert and finding', width: 'minmax(0, 1fr)', narrow: 'below', cell: AlertAndFinding },
  { title: 'Duration', width: '5.5rem', narrow: 'hidden', style: s.number, cell: Took },
  {
    title: 'Cost',
    width: '6.5rem',
    narrow: 'auto',
    style: s.number,
    cell: ({ row: { status, cost } }) => hasEnded(status) && cost && costFact(cost),
  },
  {
    title: 'Started',
    width: '6rem',
    narrow: 'auto',
    style: `${s.number} ${s.began}`,
    cell: ({ row: { createdAt } }) =>
      createdAt && (
        <>
          <Time iso={createdAt} text={beganText(createdAt, serverNow())} />
          <span class={s.utc}>{besideLocal(createdAt, serverNow())}</span>
        </>
      ),
  },
];

const NARROW: Readonly<Record<string, string | undefined>> = { hidden: s.wide, below: s.below };
/** The tracks of the grid, for the style of the list. */
export const TRACKS = {
  '--tracks': COLUMNS.map(({ width }) => width).join(' '),
  '--narrow-tracks': COLUMNS.flatMap(({ narrow }) => (narrow in NARROW ? [] : narrow)).join(' '),
};

/** A row; its title is the link. */
export function ListItem(props: ItemProps) {
  return (
    <li>
      <div class={s.row}>
        {COLUMNS.map(({ title, narrow, style = '', cell: Cell }) => (
          <div key={title} class={`${style} ${NARROW[narrow] ?? ''}`}>
            <Cell {...props} />
          </div>
        ))}
      </div>
    </li>
  );
}

function AlertAndFinding(props: ItemProps) {
  const { sessionId, title, severity, finding, limits, earlier } = props.row;
  return (
    <>
      <div class={s.first}>
        <a class={s.title} href={`/s/${sessionId}`}>
          <Untrusted text={title ?? sessionId} />
        </a>
        <p class={s.where}>
          {severity && <Severity severity={severity} />} <Facts {...props} />
        </p>
      </div>
      <div class={s.second}>
        {(finding !== '' || limits.length > 0) && (
          <p class={s.finding}>
            {limits.length > 0 && (
              <span class={s.limits}>
                <Icon name="warning" /> {limits.map(caveatWords).join(' · ')}
              </span>
            )}{' '}
            <Untrusted text={finding} />
          </p>
        )}
        {earlier.length > 0 && <Earlier rows={earlier} newest={sessionId} />}
      </div>
    </>
  );
}

function Facts({ row, ratings, work }: ItemProps) {
  const { place, source, chain, reports, rerunOf, kind, shown, verdict } = row;
  const where = place ? placeText(place) : '';
  const facts = [
    work ? workWords(work) : null,
    verdict ? verdictWord(verdict) : null,
    kind === 'investigation' ? null : kind,
    source,
    chain ? `chain ${chain}` : null,
    reports && reports.firing > 1 ? `reported ${countText(reports.firing, 'time')}` : null,
    reports && reports.joined > 0 ? `${countText(reports.joined, 'alert')} joined` : null,
    rerunOf ? 'rerun' : null,
    shown === 'timed_out' ? 'deadline reached' : null,
    ratings === undefined ? null : reviewWords(ratings),
  ].filter((fact) => fact != null);
  return (
    <>
      {where !== '' && (
        <b>
          <Untrusted text={where} />
        </b>
      )}
      {facts.map((fact, index) => (
        <span key={fact}>
          {(index > 0 || where !== '') && ' · '}
          <bdi>{fact}</bdi>
        </span>
      ))}
    </>
  );
}

function Took({ row: { createdAt, endedAt, durationMs } }: ItemProps) {
  if (!createdAt) return null;
  if (endedAt) return <>{durationText(Date.parse(endedAt) - Date.parse(createdAt))}</>;
  if (durationMs == null) return null;
  return <>{durationText(Math.max(0, Math.max(tick.value, serverNow()) - Date.parse(createdAt)))}</>;
}

function Earlier({ rows, newest }: { rows: readonly ListRow[]; newest: string }) {
  return (
    <details class={s.earlier}>
      <summary>{countText(rows.length, 'earlier session')} about the same alert</summary>
      <ul>
        {rows.map(({ sessionId, shown, createdAt }) => (
          <li key={sessionId}>
            <Status status={shown} plain />
            <a href={`/s/${sessionId}`}>{createdAt ? beganText(createdAt, serverNow()) : sessionId}</a>{' '}
            <a href={compareAddress(newest, sessionId)}>Compare</a>
          </li>
        ))}
      </ul>
    </details>
  );
}
