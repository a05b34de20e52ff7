// A review of an analysis: right, partly right or wrong, with the cause that the reviewer knows. The last one counts.

import { useSignal } from '@preact/signals';
import { MECHANISMS } from '../../../../shared/text/mechanisms.ts';
import { readDraft, writeDraft } from '../../frame/drafts.ts';
import { canAct } from '../../frame/me.ts';
import parts from '../../parts/parts.module.css';
import { isOffline } from '../state/offline.ts';
import { useSession } from '../state/sessionState.ts';
import { useControl } from '../state/useControl.ts';
import s from './analysis.module.css';

const RATINGS = [
  { rating: 'right', name: 'Right' },
  { rating: 'partly', name: 'Partly' },
  { rating: 'wrong', name: 'Wrong' },
] as const;
type Rating = (typeof RATINGS)[number]['rating'];

const FIELDS = [
  { name: 'component', label: 'Failed component: a workload, host or service' },
  { name: 'mechanism', label: 'Failure mechanism: one of the list' },
  { name: 'text', label: 'The cause' },
  { name: 'missed', label: 'Missing from the analysis' },
] as const;

/** Three buttons. `Right` is stored at once; the others ask for the cause first. */
export function Feedback() {
  const given = useSignal<Rating | undefined>(undefined);
  const open = useSignal<Rating | undefined>(undefined);
  const { outcome, send } = useControl();
  const isSending = useSignal(false);
  const { sessionId, workSeen, workChanges } = useSession();
  /** Stores a review. One that was made without newer entries of other people is refused: they are read first. */
  const give = async (rating: Rating, details?: object) => {
    const seen = workSeen.peek();
    const body = { kind: 'review', review: { rating, ...details }, ...(seen !== undefined && { seen }) };
    isSending.value = true;
    const error = await send('work', body, () => 'Feedback stored.');
    isSending.value = false;
    if (error === undefined && seen !== undefined) workSeen.value = seen + 1;
    workChanges.value++;
    if (error !== undefined) return;
    given.value = rating;
    open.value = undefined;
    if (details !== undefined) for (const { name } of FIELDS) writeDraft(draftKey(sessionId, name), '');
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
      {open.value !== undefined && <Details rating={open.value} give={give} isSending={isSending.value} />}
    </>
  );
}

const draftKey = (sessionId: string, field: string) => `review.${sessionId}.${field}`;

interface DetailsProps {
  rating: Rating;
  give: (rating: Rating, details: object) => Promise<void>;
  isSending: boolean;
}

function Details({ rating, give, isSending }: DetailsProps) {
  const { sessionId } = useSession();
  const texts = useSignal<Record<string, string>>(
    Object.fromEntries(FIELDS.map(({ name }) => [name, readDraft(draftKey(sessionId, name))])),
  );
  const submit = (event: Event) => {
    event.preventDefault();
    const filled = Object.entries(texts.value).filter(([, text]) => text.trim() !== '');
    const { missed, ...cause } = Object.fromEntries(filled);
    const hasCause = Object.keys(cause).length > 0;
    void give(rating, { ...(missed && { missed }), ...(hasCause && { cause }) });
  };
  return (
    <form class={s.review} onSubmit={submit}>
      {FIELDS.map(({ name, label }) => (
        <label key={name}>
          {label}
          <input
            class={parts.field}
            maxLength={10_000}
            list={name === 'mechanism' ? 'mechanisms' : undefined}
            value={texts.value[name] ?? ''}
            onInput={({ currentTarget: { value } }) => {
              texts.value = { ...texts.value, [name]: value };
              writeDraft(draftKey(sessionId, name), value);
            }}
          />
        </label>
      ))}
      <datalist id="mechanisms">
        {MECHANISMS.map((mechanism) => (
          <option key={mechanism} value={mechanism} />
        ))}
      </datalist>
      <button type="submit" class={parts.button} disabled={isOffline.value || isSending}>
        Store the review
      </button>
    </form>
  );
}
