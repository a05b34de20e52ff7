// The entries of the menu of exports that save the draft of a postmortem.

import { useSignal } from '@preact/signals';
import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api, asError } from '../../api/client.ts';
import { canAct } from '../../frame/currentUser.ts';
import { hasEnded } from '../../model/status.ts';
import parts from '../../parts/parts.module.css';
import { saveFile } from '../../parts/saveFile.ts';

/** The entries, for people who can act. A model writes only about a session that has ended. */
export function Postmortem({ view: { sessionId, status } }: { view: SessionView }) {
  const outcome = useSignal('');
  if (!canAct.value) return null;
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
    <>
      <button type="button" class={parts.quiet} onClick={() => void save(true)}>
        Postmortem, facts only
      </button>
      {hasEnded(status) && (
        <button type="button" class={parts.quiet} onClick={() => void save(false)}>
          Postmortem with prose
        </button>
      )}
      <span class={parts.meta} role="status">
        {outcome.value}
      </span>
    </>
  );
}
