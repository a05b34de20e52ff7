// Refused messages by reason: code, function, how often, and some of them.

import type { RejectedMessages } from '../../../../shared/lists/apiTypes.ts';
import { bytesText, countText, dayText, hourName, numberText } from '../../model/format.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Icon } from '../../parts/Icon.tsx';
import parts from '../../parts/parts.module.css';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import type { Refusal } from './groups.ts';
import s from './rejected.module.css';

/** Samples that are shown without a click. */
const SHOWN = 2;

/** All reasons. */
export function Refusals({ groups }: { groups: readonly Refusal[] }) {
  if (groups.length === 0) return <p class={s.empty}>None.</p>;
  return (
    <ol class={s.items}>
      {groups.map((group) => (
        <Group key={`${group.code} ${group.function}`} group={group} />
      ))}
    </ol>
  );
}

function Group({ group: { code, function: name, count, hours, samples } }: { group: Refusal }) {
  const rest = samples.slice(SHOWN);
  return (
    <li>
      <h3 class={s.head}>
        <span class={`${parts.status} ${parts.fail} ${parts.pill}`}>
          <Icon name="failed" />
          {code}
        </span>
        <span>
          <b class={parts.number}>{numberText(count)}</b> by <bdi>{name}</bdi>
        </span>
      </h3>
      <p class={parts.meta}>{hoursText(hours)}</p>
      <p class={s.todo}>
        <a href={`/errors#${code}`}>What to do about {code}</a>
      </p>
      <Samples samples={samples.slice(0, SHOWN)} />
      {rest.length > 0 && (
        <details class={s.rest}>
          <summary>{countText(rest.length, 'more message')}</summary>
          <Samples samples={rest} />
        </details>
      )}
      {count > samples.length && (
        <p class={parts.meta}>
          {countText(samples.length, 'message is', 'messages are')} stored; the others are only counted.
        </p>
      )}
    </li>
  );
}

function hoursText(hours: Refusal['hours']): string {
  const [newest] = hours;
  const oldest = hours.at(-1);
  if (newest === undefined || oldest === undefined) return '';
  if (hours.length === 1) return `in the hour from ${hourName(newest.hour)} UTC`;
  return `in ${hours.length} hours, from ${hourName(oldest.hour)} to ${hourName(newest.hour)} UTC`;
}

function Samples({ samples }: { samples: RejectedMessages['samples'] }) {
  return (
    <ul class={s.samples}>
      {samples.map((sample, index) => (
        <Sample key={`${sample.messageId} ${index}`} sample={sample} />
      ))}
    </ul>
  );
}

function Sample({ sample }: { sample: RejectedMessages['samples'][number] }) {
  const { messageId, reason, attributes, dataBytes, excerpt, at } = sample;
  const pairs = Object.entries(attributes);
  return (
    <li>
      <p>
        <Untrusted text={reason} />
      </p>
      <p class={parts.meta}>
        <Time iso={at} text={dayText(at)} /> · message <bdi>{messageId}</bdi> · {bytesText(dataBytes)}
        {pairs.map(([name, value]) => (
          <span key={name}>
            {' · '}
            <bdi>{name}</bdi>=<Untrusted text={value} />
          </span>
        ))}
      </p>
      {excerpt !== '' && (
        <div class={s.excerpt}>
          <pre tabIndex={0} role="region" aria-label={`First part of message ${messageId}`}>
            <Untrusted text={excerpt} />
          </pre>
          <CopyButton text={excerpt} what="the first part of the message" />
        </div>
      )}
    </li>
  );
}
