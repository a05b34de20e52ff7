// The notices about a pause of the installation, and about parts of it that are away.

import { dayText } from '../model/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { Time } from '../parts/Time.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import s from './frame.module.css';
import { healthWords, SECTIONS } from './healthWords.ts';
import { isPartAway, systemHealth, systemPause } from './systemState.ts';

/** The pause, and a sentence per missing part, linked to its section of the page "System". */
export function Health() {
  const { value: pause } = systemPause;
  const away = systemHealth.value === undefined ? [] : healthWords(systemHealth.value);
  return (
    <>
      {pause !== null && (
        <div class={s.notice} role="status">
          <span>
            Paused until <Time iso={pause.until} text={`${pause.until.slice(11, 16)} UTC`} /> by{' '}
            <Untrusted text={pause.by} />. Alerts are accepted; their investigations continue then.{' '}
            <SectionLink section="state" />
          </span>
        </div>
      )}
      {isPartAway.value && (
        <div class={`${s.notice} ${s.away}`} role="status">
          {away.map(({ text, since, section }) => (
            <span key={text}>
              <Icon name="warning" /> <Untrusted text={text} />
              {since !== undefined && (
                <>
                  {' '}
                  Since <Time iso={since} text={dayText(since)} />.
                </>
              )}{' '}
              <SectionLink section={section} />
            </span>
          ))}
        </div>
      )}
    </>
  );
}

function SectionLink({ section }: { section: keyof typeof SECTIONS }) {
  return <a href={`/system#${section}`}>{SECTIONS[section]}</a>;
}
