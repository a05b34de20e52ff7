// Saves the draft of a postmortem.

import { useSignal } from '@preact/signals';
import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api, asError } from '../../api/client.ts';
import { canAct } from '../../frame/currentUser.ts';
import { hasEnded } from '../../model/status.ts';
import parts from '../../parts/parts.module.css';
import { saveFile } from '../../parts/saveFile.ts';
import { isOffline } from '../../session/state/offline.ts';
import s from './postmortem.module.css';

/** The panel, for people who can act on a session that has ended. */
export function Postmortem({ view: { sessionId, status } }: { view: SessionView }) {
  const outcome = useSignal('');
  if (!canAct.value || !hasEnded(status)) return null;
  const save = async (facts: boolean) => {
    outcome.value = facts ? '' : 'A model writes the draft …';
    try {
      const body = { sessions: [sessionId], facts, origin: location.origin };
      const { markdown, gaps } = await api.post('/v1/postmortems', {}, body);
      saveFile(`${sessionId}-postmortem.md`, 'text/markdown', markdown);
      outcome.value = `Saved. The draft has ${gaps.length} marked gaps.`;
    } catch (cause) {
      outcome.value = `No draft: ${asError(cause).message}`;
    }
  };
  return (
    <section class={parts.panel} aria-labelledby="postmortem-title">
      <div class={parts.panelHead}>
        <h2 id="postmortem-title">Postmortem</h2>
      </div>
      <div class={s.drafts}>
        <button type="button" class={parts.button} disabled={isOffline.value} onClick={() => void save(true)}>
          Draft of facts
        </button>
        <button
          type="button"
          class={parts.button}
          disabled={isOffline.value}
          onClick={() => void save(false)}
        >
          Draft with prose
        </button>
        <span class={parts.meta} role="status">
          {outcome.value}
        </span>
      </div>
    </section>
  );
}
