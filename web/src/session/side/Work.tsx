// Work of people on a session: claim, notes, actions, resolution. Responders add entries.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SessionView, WorkEntry, WorkView } from '../../../../shared/api/types.ts';
import { reloadWhenVisible, useResource } from '../../api/useResource.ts';
import { useDraft } from '../../frame/drafts.ts';
import { canAct, me } from '../../frame/me.ts';
import { dayText } from '../../model/format.ts';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { isOffline } from '../state/offline.ts';
import { useSession } from '../state/sessionState.ts';
import { useControl } from '../state/useControl.ts';
import s from './side.module.css';

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
export function Work({ view }: { view: SessionView }) {
  const { path, timeline, workSeen, workChanges } = useSession();
  const work = useResource<WorkView>(`${path}/work`);
  // A new event can be an entry of another person.
  const size = timeline.iterationsOf('work').value.length;
  const changes = workChanges.value;
  useEffect(() => {
    if (size + changes > 0) work.reload();
  }, [size, changes, view.status]);
  // After its end a session has no stream.
  useEffect(() => reloadWhenVisible(work), [work]);
  const known = work.value.value;
  useEffect(() => {
    workSeen.value = known?.entries.length;
  }, [known]);
  return (
    <section class={parts.panel} aria-labelledby="work-title">
      <div class={parts.panelHead}>
        <h2 id="work-title">People</h2>
        <span class={parts.meta}>
          <Untrusted text={known ? stateText(known) : ''} />
        </span>
      </div>
      {work.error.value && <Problem error={work.error.value} onRetry={work.reload} />}
      {known && known.entries.length > 0 && (
        <ul class={s.list}>
          {known.entries.map((entry) => (
            <Entry key={entry.number} entry={entry} />
          ))}
        </ul>
      )}
      {known && canAct.value && <Acts known={known} />}
    </section>
  );
}

function stateText({ claimedBy, resolved, isDisputed }: WorkView): string {
  const state = resolved
    ? `Resolved by ${resolved.by}`
    : claimedBy
      ? `${claimedBy} works on it`
      : 'Not claimed';
  return isDisputed ? `${state}. Reviews differ.` : state;
}

function Entry({ entry: { kind, by, text, review, createdAt } }: { entry: WorkEntry }) {
  const { component, mechanism, text: cause } = review?.cause ?? {};
  const causes = [component, mechanism, cause].filter(Boolean).join(', ');
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

/** Kinds of entries that have a text. */
const HAS_TEXT = new Set<WorkEntry['kind']>(['note', 'action', 'resolve']);

function Acts({ known }: { known: WorkView }) {
  const { sessionId, workSeen, workChanges } = useSession();
  const { text, write, clear } = useDraft(`work.${sessionId}`);
  const isSending = useSignal(false);
  const { outcome, send } = useControl();
  const add = async (kind: WorkEntry['kind']) => {
    const given = HAS_TEXT.has(kind) ? text.value.trim() : '';
    const seen = workSeen.peek() ?? known.entries.length;
    isSending.value = true;
    const error = await send('work', { kind, seen, ...(given !== '' && { text: given }) }, () => '');
    isSending.value = false;
    if (error === undefined) {
      workSeen.value = seen + 1;
      if (given !== '') clear(given);
    }
    // A refused entry was made without newer ones of other people: they are shown before it is sent again.
    workChanges.value++;
  };
  const button = (kind: WorkEntry['kind'], name: string, needsText = false) => (
    <button
      type="button"
      class={parts.button}
      disabled={isOffline.value || isSending.value || (needsText && text.value.trim() === '')}
      onClick={() => void add(kind)}
    >
      {name}
    </button>
  );
  const isOwn = known.claimedBy !== null && known.claimedBy === me.value?.name;
  return (
    <div class={s.work}>
      <textarea
        class={parts.field}
        rows={2}
        aria-label="Note, action or resolution"
        placeholder="Note, action or resolution"
        value={text.value}
        onInput={(event) => write(event.currentTarget.value)}
      />
      <div class={parts.actions}>
        {isOwn ? button('release', 'Release') : button('claim', 'Claim')}
        {button('note', 'Add note', true)}
        {button('action', 'Add action', true)}
        {button('resolve', 'Resolve')}
      </div>
      <p class={parts.meta} role="status">
        {outcome.value}
      </p>
    </div>
  );
}
