// People's work on a session. Responders add notes and actions; the head has claim, resolution.

import { causeWords } from '../../../../shared/evidence/causeWords.ts';
import type { WorkEntry } from '../../../../shared/lists/apiTypes.ts';
import { canAct } from '../../frame/currentUser.ts';
import { useDraft } from '../../frame/drafts.ts';
import { dayText } from '../../model/format.ts';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from '../../session/side/side.module.css';
import { isOffline } from '../../session/state/offline.ts';
import { useSession } from '../../session/state/sessionState.ts';
import { useAddWork } from '../../session/state/useWork.ts';

const VERBS: Record<WorkEntry['kind'], string> = {
  claim: 'works on it',
  release: 'no longer works on it',
  note: 'noted',
  action: 'did',
  resolve: 'resolved it',
  review: 'reviewed the analysis',
};
const RATINGS = { right: 'right', partly: 'partly right', wrong: 'wrong' } as const;

/** The panel. */
export function Work() {
  const read = useSession().work.value;
  const known = read?.value.value;
  return (
    <section class={parts.panel} aria-labelledby="work-title">
      <div class={parts.panelHead}>
        <h2 id="work-title">People</h2>
      </div>
      {read?.error.value && <Problem error={read.error.value} onRetry={read.reload} />}
      {known && known.entries.length > 0 && (
        <ul class={s.list}>
          {known.entries.map((entry) => (
            <Entry key={entry.number} entry={entry} />
          ))}
        </ul>
      )}
      {known && canAct.value && <Acts />}
      {known?.entries.length === 0 && !canAct.value && <p class={`${parts.meta} ${s.list}`}>No entries.</p>}
    </section>
  );
}

function Entry({ entry: { kind, by, text, review, createdAt } }: { entry: WorkEntry }) {
  const { text: cause, ...named } = review?.cause ?? {};
  const causes = [causeWords(named), cause].filter(Boolean).join(', ');
  return (
    <li>
      <b>
        <Untrusted text={by} />
      </b>{' '}
      {VERBS[kind]}
      {review && <>: {RATINGS[review.rating]}</>}{' '}
      <span class={parts.meta}>
        <Time iso={createdAt} text={dayText(createdAt)} />
      </span>
      {[text, causes && `Cause: ${causes}`, review?.action && `Helped: ${review.action}`].map(
        (line, index) =>
          line && (
            <p key={index} class={s.entryText}>
              <Untrusted text={line} />
            </p>
          ),
      )}
      {review?.missed && (
        <p class={s.entryText}>
          Missed: <Untrusted text={review.missed} />
        </p>
      )}
    </li>
  );
}

function Acts() {
  const { sessionId } = useSession();
  const { text, write, clear } = useDraft(`work.${sessionId}`);
  const { add, outcome, isSending } = useAddWork();
  const given = text.value.trim();
  const button = (kind: WorkEntry['kind'], name: string) => (
    <button
      type="button"
      class={parts.button}
      disabled={isOffline.value || isSending.value || given === ''}
      onClick={() => void add(kind, given).then((isStored) => isStored && clear(given))}
    >
      {name}
    </button>
  );
  return (
    <div class={s.work}>
      <textarea
        class={parts.field}
        rows={2}
        aria-label="Note or action"
        placeholder="Note or action"
        value={text.value}
        onInput={(event) => write(event.currentTarget.value)}
      />
      <div class={parts.actions}>
        {button('note', 'Add note')}
        {button('action', 'Add action')}
      </div>
      <p class={parts.meta} role="status">
        {outcome.value}
      </p>
    </div>
  );
}
