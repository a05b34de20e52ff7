// The form of a review that asks for the cause.

import { useSignal } from '@preact/signals';
import { MECHANISMS } from '../../../../shared/text/mechanisms.ts';
import { readDraft, writeDraft } from '../../frame/drafts.ts';
import parts from '../../parts/parts.module.css';
import { isOffline } from '../../session/state/offline.ts';
import { useSession } from '../../session/state/sessionState.ts';
import s from './review.module.css';

const FIELDS = [
  { name: 'component', label: 'Failed component: a workload, host or service' },
  { name: 'mechanism', label: 'Failure mechanism: one of the list' },
  { name: 'text', label: 'The cause' },
  { name: 'missed', label: 'Missing from the analysis' },
] as const;

/** The finding of a reviewer. */
export type Rating = 'right' | 'partly' | 'wrong';
/** Stores a review. @returns whether it was stored. */
export type Give = (rating: Rating, details?: object) => Promise<boolean>;

const draftKey = (sessionId: string, field: string) => `review.${sessionId}.${field}`;

interface ReviewProps {
  rating: Rating;
  give: Give;
  isSending: boolean;
}

/** Asks for the cause that a reviewer knows. Typed text is kept until it is stored. */
export function ReviewForm({ rating, give, isSending }: ReviewProps) {
  const { sessionId } = useSession();
  const texts = useSignal<Record<string, string>>(
    Object.fromEntries(FIELDS.map(({ name }) => [name, readDraft(draftKey(sessionId, name))])),
  );
  const submit = async (event: Event) => {
    event.preventDefault();
    const filled = Object.entries(texts.value).filter(([, text]) => text.trim() !== '');
    const { missed, ...cause } = Object.fromEntries(filled);
    const hasCause = Object.keys(cause).length > 0;
    if (await give(rating, { ...(missed && { missed }), ...(hasCause && { cause }) }))
      for (const { name } of FIELDS) writeDraft(draftKey(sessionId, name), '');
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
