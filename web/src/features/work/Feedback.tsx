// A review: right, partly right or wrong, with the known cause. The last one counts.

import { useSignal } from '@preact/signals';
import { api } from '../../api/client.ts';
import { canAct } from '../../frame/currentUser.ts';
import { loadLater } from '../../parts/lazyPart.tsx';
import parts from '../../parts/parts.module.css';
import s from '../../session/analysis/analysis.module.css';
import { isOffline } from '../../session/state/offline.ts';
import { useSession } from '../../session/state/sessionState.ts';
import { useControl } from '../../session/state/useControl.ts';
import type { Give, Rating } from './ReviewForm.tsx';

const RATINGS = [
  { rating: 'right', name: 'Right' },
  { rating: 'partly', name: 'Partly' },
  { rating: 'wrong', name: 'Wrong' },
] as const;

const ReviewForm = loadLater('The form', () =>
  import('./ReviewForm.tsx').then((module) => module.ReviewForm),
);

/** Three buttons. `Right` is stored at once; the others ask for the cause first. */
export function Feedback() {
  const given = useSignal<Rating | undefined>(undefined);
  const open = useSignal<Rating | undefined>(undefined);
  const { outcome, send } = useControl();
  const isSending = useSignal(false);
  const { sessionId, workSeen, workChanges } = useSession();
  /** Stores a review; refused without others' newer entries, which are read first. */
  const give: Give = async (rating, details) => {
    const seen = workSeen.peek();
    const body = { kind: 'review' as const, review: { rating, ...details }, seen };
    isSending.value = true;
    const error = await send(
      () => api.post('/v1/sessions/{sessionId}/work', { sessionId }, body),
      () => 'Feedback stored.',
    );
    isSending.value = false;
    if (error === undefined && seen !== undefined) workSeen.value = seen + 1;
    workChanges.value++;
    if (error !== undefined) return false;
    given.value = rating;
    open.value = undefined;
    return true;
  };
  const choose = (rating: Rating) => {
    if (rating === 'right') void give(rating);
    else open.value = rating;
  };
  if (!canAct.value) return null;
  return (
    <>
      <div class={s.feedback}>
        <span class={parts.meta} role="status">
          {outcome.value === '' ? 'Is it right?' : outcome.value}
        </span>
        {RATINGS.map(({ rating, name }) => (
          <button
            key={rating}
            type="button"
            class={parts.button}
            aria-pressed={given.value === rating}
            aria-expanded={rating === 'right' ? undefined : open.value === rating}
            disabled={isOffline.value || isSending.value}
            onClick={() => choose(rating)}
          >
            {name}
          </button>
        ))}
      </div>
      {open.value !== undefined && <ReviewForm rating={open.value} give={give} isSending={isSending.value} />}
    </>
  );
}
