// The notice about parts of the installation that are away.

import { dayText } from '../model/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { Time } from '../parts/Time.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import s from './frame.module.css';
import { healthWords, SECTIONS } from './healthWords.ts';
import { systemHealth } from './systemState.ts';

/** A sentence for each part that is away, with a link to its section of the page "System". */
export function Health() {
  if (systemHealth.value === undefined) return null;
  const away = healthWords(systemHealth.value);
  return (
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
          <a href={`/system#${section}`}>{SECTIONS[section]}</a>
        </span>
      ))}
    </div>
  );
}
