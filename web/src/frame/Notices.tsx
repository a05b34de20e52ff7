// Notices for every page: the reader is signed out, the installation is paused, a part of it is away, or a new version is
// available.

import { isSignedOut } from '../api/client.ts';
import { countText, dayText } from '../model/format.ts';
import { Icon } from '../parts/Icon.tsx';
import parts from '../parts/parts.module.css';
import { Time } from '../parts/Time.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import s from './frame.module.css';
import { isNewVersion } from './newVersion.ts';
import type { SystemHealth } from './systemState.ts';
import { systemHealth, systemPause } from './systemState.ts';

/** Bars below the head of the page. */
export function Notices() {
  const reload = (name: string) => (
    <button type="button" class={parts.button} onClick={() => location.reload()}>
      {name}
    </button>
  );
  return (
    <>
      {isSignedOut.value && (
        <div class={s.notice} role="alert">
          <span>
            <b>You are signed out.</b> Your text is kept.
          </span>
          {reload('Sign in')}
        </div>
      )}
      {systemPause.value !== null && (
        <div class={s.notice} role="status">
          <span>
            Paused until{' '}
            <Time iso={systemPause.value.until} text={`${systemPause.value.until.slice(11, 16)} UTC`} /> by{' '}
            <Untrusted text={systemPause.value.by} />. Alerts are accepted; their investigations continue
            then.
          </span>
        </div>
      )}
      <Health />
      {isNewVersion.value && !isSignedOut.value && (
        <div class={s.notice} role="status">
          <span>A new version is available. Your text is kept.</span>
          {reload('Reload')}
        </div>
      )}
    </>
  );
}

function Health() {
  const away = systemHealth.value === undefined ? [] : healthWords(systemHealth.value);
  if (away.length === 0) return null;
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
    ...(lateSweep === null
      ? []
      : [{ text: 'The sweep has not completed: interrupted sessions do not continue.', since: lateSweep }]),
    ...(lateCanary === null
      ? []
      : [{ text: 'The hourly test alert does not arrive: alerts can be waiting.', since: lateCanary }]),
  ];
}
