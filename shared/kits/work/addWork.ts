// Stores a person's action about a session, masked, with an event; also after its end.

import { isDeepStrictEqual } from 'node:util';
import { createDocument, replaceDocument, type Write } from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import type { AlertDeps, StateDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { paths, sessionType, timelineEventType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import type { NoticeCode, TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { knowledgeType } from '../../search/knowledge.ts';
import type { Review } from '../../search/review.ts';
import { sessionEntryKey } from '../../search/sessionEntry.ts';
import { reviewedOrigin } from '../../search/trust.ts';
import { countAgain } from '../counts/count.ts';
import { MAX_WORK, WORK_EVENTS, type WorkEntry, type WorkKind, workType } from './work.ts';
import { type WorkState, workState } from './workState.ts';
import { reviewDetails } from './workText.ts';

/** An entry as a person gives it, not yet masked. */
export interface WorkInput {
  kind: WorkKind;
  text: string | null;
  review: Review | null;
  /** Name of the person; stored and shown. */
  by: string;
  /** The number of entries that the person saw; another number means that someone was faster. Null: any. */
  seen: number | null;
}

type WorkOutcome =
  | { kind: 'added'; entry: WorkEntry; state: WorkState }
  | { kind: 'unknown_session' }
  /** The session has no analysis that can be reviewed. */
  | { kind: 'no_analysis' }
  /** There are entries that the person has not seen. */
  | { kind: 'changed'; entries: number }
  /** The session has `MAX_WORK` entries. */
  | { kind: 'too_many' };

/**
 * Adds an entry and its event in one batch, for a review with the trust of the session's memory. The batch is
 * stored only if no other entry was added meanwhile. Each call adds at most one entry, also if the response
 * to its commit was lost.
 * @throws RetryableError when other writers keep adding entries, or the store fails twice.
 */
export function addWork(
  sessionId: string,
  input: WorkInput,
  { store, clock, maskerFor }: Pick<AlertDeps, 'store' | 'clock' | 'maskerFor'>,
): Promise<WorkOutcome> {
  const now = clock.now();
  let tried: WorkEntry | undefined;
  let hasFailed = false;
  return retryLostRaces<WorkOutcome>(`the work on session ${sessionId}`, SESSION_RACES, async () => {
    const [session, stored] = await Promise.all([
      store.get(paths.session(sessionId), sessionType),
      store.list({ collection: workType.paths.allWork(sessionId) }, workType),
    ]);
    if (session === undefined) return { kind: 'unknown_session' };
    const entries = stored.map(({ value }) => value);
    // A commit can be stored although its response was lost. This one was stored, by this call.
    if (tried !== undefined && entries.some((entry) => isDeepStrictEqual(entry, tried)))
      return { kind: 'added', entry: tried, state: workState(entries) };
    if (input.review !== null && session.value.finalAnalysis === null) return { kind: 'no_analysis' };
    if (input.seen !== null && input.seen !== entries.length)
      return { kind: 'changed', entries: entries.length };
    if (entries.length >= MAX_WORK) return { kind: 'too_many' };
    const place = { number: entries.length + 1, createdAt: now };
    const { entry, masked } = makeEntry(session.value, place, input, maskerFor);
    tried = entry;
    const writes = [
      createDocument(workType.paths.work(sessionId, entry.number), workType, entry),
      createDocument(
        paths.event(sessionId, WORK_EVENTS, entry.number),
        timelineEventType,
        workEvent(session.value, entry, masked),
      ),
      ...(entry.review === null
        ? []
        : await reviewWrites(session.value, [...entries, entry], { store, clock })),
    ];
    try {
      const { ok } = await store.commit(writes);
      return ok ? { kind: 'added', entry, state: workState([...entries, entry]) } : RACE_LOST;
    } catch (error) {
      if (hasFailed || !(error instanceof RetryableError)) throw error;
      hasFailed = true;
      return RACE_LOST;
    }
  });
}

/** Counts the session again, and sets the trust of its entry in the knowledge base, if there is one. */
async function reviewWrites(
  session: Session,
  entries: readonly WorkEntry[],
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<Write[]> {
  const { tenantId, sessionId } = session;
  const again = countAgain(session, clock.now());
  const path = knowledgeType.paths.knowledgeEntry(tenantId, sessionEntryKey(sessionId));
  const stored = await store.get(path, knowledgeType);
  const origin = stored?.value.session;
  // An entry that was removed stays removed.
  if (stored === undefined || !origin || origin.trust === 'expired') return [again];
  const trusted = reviewedOrigin(origin, workState(entries).reviews);
  return [again, replaceDocument(path, knowledgeType, { ...stored.value, session: trusted }, stored.version)];
}

function makeEntry(
  { sessionId, maskKey, expireAt }: Session,
  { number, createdAt }: Pick<WorkEntry, 'number' | 'createdAt'>,
  { kind, text, review, by }: WorkInput,
  maskerFor: AlertDeps['maskerFor'],
): { entry: WorkEntry; masked: number } {
  const masker = maskerFor(maskKey);
  let masked = 0;
  const clean = (given: string): string => {
    const cleaned = cleanText(masker, given.trim());
    masked += cleaned.count;
    return cleaned.text;
  };
  const cleanOrNull = (given: string | null) => (given === null ? null : clean(given));
  const cause = review?.cause ?? null;
  const cleanReview = review && {
    rating: review.rating,
    cause: cause && {
      component: cleanOrNull(cause.component),
      mechanism: cleanOrNull(cause.mechanism),
      text: cleanOrNull(cause.text),
    },
    action: cleanOrNull(review.action),
    missed: cleanOrNull(review.missed),
  };
  const entry = {
    sessionId,
    number,
    kind,
    text: cleanOrNull(text),
    review: cleanReview,
    by: clean(by),
    expireAt,
    createdAt,
  };
  return { entry, masked };
}

const CODES: Record<WorkKind, NoticeCode> = {
  claim: 'work_claimed',
  release: 'work_released',
  note: 'work_noted',
  action: 'work_done',
  resolve: 'work_resolved',
  review: 'work_reviewed',
};

/** The event of an entry. Its number is that of the entry. */
function workEvent(session: Session, entry: WorkEntry, masked: number): TimelineEvent {
  const { sessionId, currentStageId, expireAt } = session;
  return {
    eventType: 'notice',
    sessionId,
    stageId: currentStageId,
    executionId: WORK_EVENTS,
    parentExecutionId: null,
    sequenceNumber: entry.number,
    iteration: null,
    status: 'completed',
    content: workText(entry),
    metadata: { code: CODES[entry.kind], subject: entry.by, ...(masked > 0 && { masked }) },
    expireAt,
    createdAt: entry.createdAt,
  };
}

function workText({ kind, by, text, review }: WorkEntry): string {
  const heads: Record<WorkKind, string> = {
    claim: `${by} works on it`,
    release: `${by} no longer works on it`,
    note: `Note of ${by}`,
    action: `Action of ${by}`,
    resolve: `${by} resolved it`,
    review: `Review of ${by}: ${review?.rating}`,
  };
  const parts = [...(text === null ? [] : [text]), ...reviewDetails(review)];
  return parts.length === 0 ? `${heads[kind]}.` : `${heads[kind]}: ${parts.join('. ')}`;
}
