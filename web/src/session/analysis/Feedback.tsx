// Whether the analysis helped; the last word of a person counts.

import { useSignal } from '@preact/signals';
import { postJson } from '../../api/client.ts';
import { mayAct } from '../../frame/me.ts';
import parts from '../../parts/parts.module.css';
import { isOffline } from '../state/offline.ts';
import s from './analysis.module.css';

const NAMES = { helpful: 'Right', not_helpful: 'Wrong' } as const;

/** Two buttons. */
export function Feedback({ sessionId }: { sessionId: string }) {
  const given = useSignal<keyof typeof NAMES | undefined>(undefined);
  const error = useSignal('');
  const give = async (verdict: keyof typeof NAMES) => {
    try {
      await postJson(`/v1/sessions/${encodeURIComponent(sessionId)}/feedback`, { verdict });
      given.value = verdict;
      error.value = '';
    } catch (cause) {
      error.value = (cause as Error).message;
    }
  };
  if (!mayAct.value) return null;
  return (
    <div class={s.feedback}>
      <span class={parts.meta} role="status">
        {error.value !== ''
          ? error.value
          : given.value === undefined
            ? 'Was it right?'
            : 'Thank you, it is stored.'}
      </span>
      {(Object.keys(NAMES) as (keyof typeof NAMES)[]).map((verdict) => (
        <button
          key={verdict}
          type="button"
          class={parts.button}
          aria-pressed={given.value === verdict}
          disabled={isOffline.value}
          onClick={() => void give(verdict)}
        >
          {NAMES[verdict]}
        </button>
      ))}
    </div>
  );
}
