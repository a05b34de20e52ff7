// A session entry's text as agents get it, and its confirmation, a separate act of a reviewer.

import { useSignal } from '@preact/signals';
import type { AnswerOf } from '../../../../shared/lists/apiTypes.ts';
import { api, asError } from '../../api/client.ts';
import { canAct } from '../../frame/currentUser.ts';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import s from './knowledge.module.css';

type Shown = AnswerOf<'GET /v1/knowledge/{key}/text'>;

/** The panel. @param onConfirmed is called after the text was confirmed. */
export function AgentText({ name, onConfirmed }: { name: string; onConfirmed: () => void }) {
  const shown = useSignal<Shown | undefined>(undefined);
  const error = useSignal<Error | undefined>(undefined);
  const send = async (request: () => Promise<Shown>): Promise<void> => {
    error.value = undefined;
    try {
      shown.value = await request();
    } catch (cause) {
      error.value = asError(cause);
    }
  };
  const confirm = async (digest: string): Promise<void> => {
    await send(() => api.post('/v1/knowledge/{key}/text', { key: name }, { digest }));
    if (error.value === undefined) onConfirmed();
  };
  const { text, digest = '', confirmedBy } = shown.value ?? {};
  return (
    <section class={parts.panel} aria-labelledby="for-agents">
      <div class={parts.panelHead}>
        <h2 id="for-agents">Text for agents</h2>
        {text === undefined && (
          <button
            type="button"
            class={parts.button}
            onClick={() => void send(() => api.get('/v1/knowledge/{key}/text', { key: name }))}
          >
            Show it whole
          </button>
        )}
      </div>
      {text !== undefined && (
        <div class={s.text}>
          <pre class={s.whole} tabIndex={0} role="region" aria-label="Text for agents">
            {text}
          </pre>
          <p class={parts.meta}>
            It contains sentences of the alert and of results. � is a hidden character.
          </p>
          {confirmedBy === null && canAct.value && (
            <button type="button" class={parts.button} onClick={() => void confirm(digest)}>
              I read all of it: agents can have it
            </button>
          )}
        </div>
      )}
      {error.value && <Problem error={error.value} />}
    </section>
  );
}
