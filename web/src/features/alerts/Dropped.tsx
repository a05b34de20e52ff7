// Dropped alerts by day and rule, with the first ones of each.

import type { DroppedAlerts } from '../../../../shared/lists/apiTypes.ts';
import { clockText, countText, dayName, numberText } from '../../model/format.ts';
import parts from '../../parts/parts.module.css';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import type { DroppedDay } from './groups.ts';
import s from './rejected.module.css';

/** All days. */
export function Dropped({ days }: { days: readonly DroppedDay[] }) {
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
