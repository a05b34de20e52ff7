// Whether the installation is paused, and which of its parts are away.

import { healthWords } from '../frame/healthWords.ts';
import { systemHealth, systemPause } from '../frame/systemState.ts';
import { dayText } from '../model/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { Time } from '../parts/Time.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import { Section } from './Section.tsx';
import s from './system.module.css';

/** The section. */
export function InstallationState() {
  const { value: health } = systemHealth;
  const { value: pause } = systemPause;
  const away = health === undefined ? [] : healthWords(health);
  return (
    <Section id="state" note="as running agents noticed">
      <ul class={s.list}>
        {pause !== null && (
          <li class={s.away}>
            <Icon name="hourglass" /> Paused by <Untrusted text={pause.by} /> until{' '}
            <Time iso={pause.until} text={dayText(pause.until)} />. Alerts are accepted; their investigations
            continue then.
          </li>
        )}
        {away.map(({ text, since }) => (
          <li key={text} class={s.away}>
            <Icon name="warning" /> <Untrusted text={text} />
            {since !== undefined && (
              <>
                {' '}
                Since <Time iso={since} text={dayText(since)} />.
              </>
            )}
          </li>
        ))}
        {pause === null && away.length === 0 && (
          <li>
            <Icon name="done" /> Nothing is known to be away. While no agent runs, an outage of a server or a
            model is not noticed.
          </li>
        )}
      </ul>
    </Section>
  );
}
