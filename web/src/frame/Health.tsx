// The notice about parts of the installation that are away.

import { countText, dayText } from '../model/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { Time } from '../parts/Time.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import s from './frame.module.css';
import { type SystemHealth, systemHealth } from './systemState.ts';

/** A sentence for each part that is away. */
export function Health() {
  if (systemHealth.value === undefined) return null;
  const away = healthWords(systemHealth.value);
  return (
    <div class={`${s.notice} ${s.away}`} role="status">
      {away.map(({ text, since }) => (
        <span key={text}>
          <Icon name="warning" /> <Untrusted text={text} />
          {since !== undefined && (
            <>
              {' '}
              Since <Time iso={since} text={dayText(since)} />.
            </>
          )}
        </span>
      ))}
    </div>
  );
}

/** A sentence for each part that is away, with the time since when, if it is known (ISO 8601). */
function healthWords({
  servers,
  models,
  lateSweep,
  lateCanary = null,
}: SystemHealth): { text: string; since?: string }[] {
  return [
    ...models.map(({ code, since, agents }) => ({
      text:
        code === 'QUOTA_REACHED'
          ? `${countText(agents, 'agent')} ${agents === 1 ? 'waits' : 'wait'} for a quota of a model or a server.`
          : `The model does not answer ${countText(agents, 'agent')} (${code}): they wait for it.`,
      ...(since !== null && { since }),
    })),
    ...servers.map(({ name, agents }) => ({
      text: `The tool server ${name} cannot be reached: ${countText(agents, 'agent')} ${agents === 1 ? 'works' : 'work'} without its tools.`,
    })),
    ...(lateSweep === null ? [] : [sweepWords(lateSweep)]),
    ...(lateCanary === null
      ? []
      : [{ text: 'The hourly test alert does not arrive: alerts can be waiting.', since: lateCanary }]),
  ];
}

const WAITING = [
  ['agents', 'agent'],
  ['sessions', 'session'],
  ['messages', 'message'],
  ['checks', 'scheduled check'],
] as const;

/** The work that waits for the run of every minute. */
function sweepWords({ since, ...counts }: NonNullable<SystemHealth['lateSweep']>) {
  const waiting = WAITING.flatMap(([name, word]) => (counts[name] > 0 ? countText(counts[name], word) : []));
  const text = `${waiting.join(', ')} cannot continue: the run of every minute that continues interrupted work has not completed.`;
  return { text, ...(since !== null && { since }) };
}
