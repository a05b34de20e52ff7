// Messages that were rejected, and alerts that rules dropped.

import { useLocation } from 'preact-iso';
import { readPages } from '../../../../shared/client/readPages.ts';
import type { DroppedAlerts } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/useResource.ts';
import { PageHead } from '../../frame/Frame.tsx';
import frame from '../../frame/frame.module.css';
import { withParameter } from '../../model/address.ts';
import { clockText, countText, dayName, numberText } from '../../model/format.ts';
import parts from '../../parts/parts.module.css';
import { Reading } from '../../parts/Reading.tsx';
import reading from '../../parts/reading.module.css';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import type { DroppedDay } from './groups.ts';
import { groupDropped, groupRefusals, sumCounts } from './groups.ts';
import { Refusals } from './Refusals.tsx';
import s from './rejected.module.css';

const RANGES = [1, 7, 30];
const USUAL = 7;

/** The page of rejected messages and dropped alerts. */
export function RejectedPage() {
  const { query } = useLocation();
  const days = RANGES.find((range) => String(range) === query.days) ?? USUAL;
  const refused = useResource(
    (left) => readPages('messages', (page) => api.get('/v1/rejected-messages', { days, ...page }, left)),
    [days],
  );
  const dropped = useResource(
    (left) => readPages('alerts', (page) => api.get('/v1/dropped-alerts', { days, ...page }, left)),
    [days],
  );
  const messages = refused.value.value?.messages ?? [];
  const alerts = dropped.value.value?.alerts ?? [];
  return (
    <>
      <PageHead title="Rejected">
        <p class={parts.meta}>Messages and alerts that no session was opened for. Days are in UTC.</p>
      </PageHead>
      <div class={`${frame.page} ${s.grid} ${reading.inOrder}`}>
        <Range days={days} />
        <section class={parts.panel} aria-labelledby="refused">
          <div class={parts.panelHead}>
            <h2 id="refused">Messages that could not be accepted</h2>
            {messages.length > 0 && (
              <span class={parts.meta}>{countText(sumCounts(messages), 'message')}</span>
            )}
          </div>
          <Reading resource={refused} needs="admin" missing="This server does not list rejected messages.">
            {(read) => <Refusals groups={groupRefusals(read.messages)} />}
          </Reading>
        </section>
        <section class={parts.panel} aria-labelledby="dropped">
          <div class={parts.panelHead}>
            <h2 id="dropped">Alerts that rules dropped</h2>
            {alerts.length > 0 && <span class={parts.meta}>{countText(sumCounts(alerts), 'alert')}</span>}
          </div>
          <Reading resource={dropped} needs="admin" missing="This server does not list dropped alerts.">
            {(read) => <Dropped days={groupDropped(read.alerts)} />}
          </Reading>
        </section>
      </div>
    </>
  );
}

function Range({ days }: { days: number }) {
  const { route } = useLocation();
  const set = (range: number) =>
    route(withParameter(location.href, 'days', range === USUAL ? '' : String(range)), true);
  return (
    <fieldset class={s.range} aria-label="Period">
      {RANGES.map((range) => (
        <button
          key={range}
          type="button"
          class={parts.chip}
          aria-pressed={range === days}
          onClick={() => set(range)}
        >
          {range === 1 ? 'Today' : `${range} days`}
        </button>
      ))}
    </fieldset>
  );
}

/** All days. */
function Dropped({ days }: { days: readonly DroppedDay[] }) {
  if (days.length === 0) return <p class={s.empty}>None.</p>;
  return (
    <ol class={s.items}>
      {days.map(({ day, count, rules }) => (
        <li key={day}>
          <h3 class={s.head}>
            <time dateTime={day}>{dayName(day)}</time>
            <span class={parts.meta}>{countText(count, 'alert')}</span>
          </h3>
          <ul class={s.rules}>
            {rules.map((rule) => (
              <Rule key={`${rule.rule}.${rule.tenantId}`} rule={rule} />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

function Rule({ rule: { rule, tenantId, count, text, examples, last } }: { rule: DroppedAlerts }) {
  const isLastNamed = examples.some(({ messageId }) => messageId === last.messageId);
  const named = isLastNamed ? examples : [...examples, last];
  return (
    <li>
      <p>
        <b class={parts.number}>{numberText(count)}</b>{' '}
        <code>
          <Untrusted text={rule} />
        </code>
        {tenantId !== null && tenantId !== 'default' && (
          <span class={parts.meta}>
            {' '}
            of <Untrusted text={tenantId} />
          </span>
        )}
      </p>
      <p class={s.reason}>
        <Untrusted text={text} />
      </p>
      <details class={s.rest}>
        <summary>
          {named.length === count ? countText(count, 'alert') : `${numberText(named.length)} of them`}
        </summary>
        <ul class={s.alerts}>
          {named.map(({ messageId, title, source, at }) => (
            <li key={messageId}>
              <Time iso={at} text={`${clockText(at)} UTC`} />
              <span>
                <Untrusted text={title} />{' '}
                <span class={parts.meta}>
                  <bdi>{source}</bdi>
                </span>
              </span>
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}
