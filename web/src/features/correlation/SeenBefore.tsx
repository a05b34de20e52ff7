// Earlier sessions of the same alert or similar ones.

import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { compareAddress } from '../../model/address.ts';
import { dayText } from '../../model/format.ts';
import parts from '../../parts/parts.module.css';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from '../../session/side/side.module.css';

/** The panel; nothing without such sessions. */
export function SeenBefore({ view: { sessionId: own, seenBefore } }: { view: SessionView }) {
  if (seenBefore.length === 0) return null;
  return (
    <section class={parts.panel} aria-labelledby="seen-title">
      <div class={parts.panelHead}>
        <h2 id="seen-title">Seen before</h2>
      </div>
      <ul class={s.list}>
        {seenBefore.map(({ sessionId, title, text, endedAt, isSame }) => (
          <li key={sessionId}>
            <a href={`/s/${sessionId}`}>
              <Untrusted text={title} />
            </a>{' '}
            <span class={parts.meta}>
              {isSame ? 'same alert' : 'similar alert'}, <Time iso={endedAt} text={dayText(endedAt)} />
            </span>{' '}
            <a href={compareAddress(own, sessionId)}>Compare</a>
            <p class={s.seenText}>
              <Untrusted text={text} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
