// Sends guidance to the agents of a running session.

import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { useDraft } from '../../frame/drafts.ts';
import parts from '../../parts/parts.module.css';
import { isOffline } from '../../session/state/offline.ts';
import { useControl } from '../../session/state/useControl.ts';
import s from './guidance.module.css';

/** A field whose text every agent reads before its next model call. */
export function GuidanceForm({ view }: { view: SessionView }) {
  const { sessionId } = view;
  const { outcome, send } = useControl();
  const { text, write, clear } = useDraft(`tell.${view.sessionId}`);
  const submit = async (event: Event) => {
    event.preventDefault();
    const guidance = text.value.trim();
    if (guidance === '') return;
    const post = () => api.post('/v1/sessions/{sessionId}/guidance', { sessionId }, { text: guidance });
    const error = await send(post, (answer) =>
      answer.outcome === 'told'
        ? 'Sent. Each agent reads it before its next model call.'
        : 'The agents already have this guidance.',
    );
    if (error === undefined) clear(guidance);
  };
  return (
    <form class={s.guidance} onSubmit={(event) => void submit(event)}>
      <label for="guidance">Guidance for the agents</label>
      <div>
        <input
          id="guidance"
          class={parts.field}
          value={text.value}
          placeholder="The checkout team rolled back at 09:40"
          onInput={(event) => write(event.currentTarget.value)}
        />
        <button type="submit" class={parts.button} disabled={isOffline.value}>
          Send
        </button>
      </div>
      <p class={parts.meta} role="status">
        {outcome.value}
      </p>
    </form>
  );
}
