// Telling the agents of a running session something.

import { useSignal } from '@preact/signals';
import type { SessionView } from '../../../shared/api/types.ts';
import { postJson } from '../api/client.ts';
import parts from '../parts/parts.module.css';
import s from './session.module.css';
import { readDraft, writeDraft } from './state/drafts.ts';
import { isOffline } from './state/offline.ts';
import { useSession } from './state/sessionState.ts';

/** A field whose text every agent reads when it next asks its model. */
export function Tell({ view }: { view: SessionView }) {
  const { path, refresh } = useSession();
  const key = `tell.${view.sessionId}`;
  const text = useSignal(readDraft(key));
  const said = useSignal('');
  const send = async (event: Event) => {
    event.preventDefault();
    if (text.value.trim() === '') return;
    try {
      const { outcome } = await postJson<{ outcome: string }>(`${path}/guidance`, {
        text: text.value.trim(),
      });
      text.value = '';
      writeDraft(key, '');
      said.value =
        outcome === 'told'
          ? 'Told. Each agent reads it when it next asks its model.'
          : 'They were told this before.';
      refresh();
    } catch (error) {
      said.value = (error as Error).message;
    }
  };
  return (
    <form class={s.tell} onSubmit={(event) => void send(event)}>
      <label for="tell">Tell the agents something</label>
      <div>
        <input
          id="tell"
          class={parts.field}
          value={text.value}
          placeholder="The checkout team rolled back at 09:40"
          onInput={(event) => {
            text.value = event.currentTarget.value;
            writeDraft(key, text.value);
          }}
        />
        <button type="submit" class={parts.button} disabled={isOffline.value}>
          Tell
        </button>
      </div>
      <p class={parts.meta} role="status">
        {said.value}
      </p>
    </form>
  );
}
