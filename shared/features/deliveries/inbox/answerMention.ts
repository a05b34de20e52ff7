// A mention of the app in a session's thread: guidance, after the end a question, or a review.

import { isDeepStrictEqual } from 'node:util';
import { describeOff } from '../../../contract/switches.ts';
import { createDocument, type Stored, type Write } from '../../../core/contract/store.ts';
import { RetryableError } from '../../../core/errors.ts';
import { isTerminal } from '../../../core/schema/common.ts';
import { paths, sessionType } from '../../../core/schema/coreDocuments.ts';
import type { Session } from '../../../core/schema/session.ts';
import { checkPerson } from '../../../kits/deliveries/checkPerson.ts';
import {
  type Delivery,
  deliveryType,
  type InboxEntry,
  threadType,
  unsentProgress,
} from '../../../kits/deliveries/delivery.ts';
import type { InboxResult, Mention } from '../../../kits/deliveries/mentionTaker.ts';
import { askQuestion, questionFault } from '../../../kits/questions/askQuestion.ts';
import { addGuidance, guidanceFault } from '../../../kits/steering/addGuidance.ts';
import { addWork } from '../../../kits/work/addWork.ts';
import { MAX_WORK_TEXT, workType } from '../../../kits/work/work.ts';
import { workState } from '../../../kits/work/workState.ts';
import type { Review } from '../../../search/review.ts';
import type { InboxDeps } from './deps.ts';
import { readReview } from './reviewText.ts';
import { doneWrite } from './storeEntry.ts';

/**
 * Gives guidance, asks a question or stores a review.
 * @throws RetryableError when the store or the service fails.
 */
export async function answerMention(
  mention: Mention,
  entry: Stored<InboxEntry>,
  deps: InboxDeps,
): Promise<InboxResult> {
  const place = await sessionAt(mention, deps);
  if (place === undefined)
    return (
      (await deps.mentions?.take(mention, deps)) ?? {
        outcome: 'no_session',
        destination: undefined,
        reason: null,
      }
    );
  const { session, destination } = place;
  const result = (outcome: string, reason: string | null): InboxResult => ({ outcome, destination, reason });
  const configured = await deps.destinations(destination);
  if (configured === undefined) return result('destination_unknown', null);
  const check = await checkPerson(mention.person, configured, session, deps);
  if (check.kind === 'refused') return result(check.failure.code, check.failure.message);
  const input = { text: mention.text, by: check.email };
  const { failpoint: _, ...state } = deps;
  if (session.status === 'deferred')
    return result('deferred', 'Nothing investigates it yet. Start it on its page.');
  const review = readReview(mention.text);
  if (review !== undefined) {
    const { outcome, reason } = await addReview(review, check.email, session, state);
    return result(outcome, reason);
  }
  if (!isTerminal(session.status)) {
    const fault = guidanceFault(mention.text);
    if (fault !== undefined) return result('invalid', `It was not given to the agents: ${fault}.`);
    const { kind } = await addGuidance(session.sessionId, input, state);
    return result(kind, GUIDANCE[kind] ?? 'It was not given to the agents: the investigation has ended.');
  }
  if (deps.off?.has('chat')) return result('no_chat', `It was not asked: ${describeOff('chat')}.`);
  const fault = questionFault(mention.text);
  if (fault !== undefined) return result('invalid', `It was not asked: ${fault}.`);
  const beside = (stageId: string): Write[] => [
    awaitedAnswer(session, destination, stageId, deps.clock.now()),
    doneWrite(entry, 'asked'),
  ];
  const { kind } = await askQuestion(session.sessionId, { ...input, userId: check.email, beside }, state);
  return result(kind, kind === 'asked' ? null : (QUESTIONS[kind] ?? QUESTIONS.budget ?? null));
}

/** Stores a review, unless it is the newest one of the person already: a mention can be handled twice. */
async function addReview(
  review: Review | 'no_rating',
  by: string,
  { sessionId }: Session,
  deps: Omit<InboxDeps, 'failpoint'>,
): Promise<{ outcome: string; reason: string }> {
  const refused = (reason: string) => ({ outcome: 'invalid', reason: `It is no review: ${reason}.` });
  if (review === 'no_rating') return refused('write "review right", "review partly" or "review wrong"');
  const longest = Math.max(...Object.values(review).map((part) => JSON.stringify(part).length));
  if (longest > MAX_WORK_TEXT) return refused(`a part has more than ${MAX_WORK_TEXT} characters`);
  const work = await deps.store.list({ collection: workType.paths.allWork(sessionId) }, workType);
  const earlier = workState(work.map(({ value }) => value)).reviews.find((one) => one.by === by);
  const reason = `Your review is stored: ${review.rating}.`;
  if (isDeepStrictEqual(earlier?.review, review)) return { outcome: 'reviewed', reason };
  const { kind } = await addWork(sessionId, { kind: 'review', text: null, review, by, seen: null }, deps);
  if (kind === 'added') return { outcome: 'reviewed', reason };
  return refused(
    kind === 'no_analysis' ? 'there is no analysis yet' : 'the session has the most entries it can have',
  );
}

const GUIDANCE: Record<string, string> = {
  told: 'The agents get it with their next request.',
  told_before: 'The agents have it already.',
  too_many: 'It was not given to the agents: the session has the most guidance that it can have.',
};

const QUESTIONS: Record<string, string> = {
  busy: 'Another question is being answered. Ask again after it.',
  no_chat: 'The chain of this session answers no questions.',
  too_many: 'The session has the most questions that it can have.',
  budget: 'It was not asked: a budget of tokens is used up.',
};

/** The session that a mention opened in the thread, or whose first message it starts with. */
async function sessionAt(
  mention: Mention,
  { destinations: find, store, mentions }: InboxDeps,
): Promise<{ session: Session; destination: string } | undefined> {
  const { thread, destinations, message } = mention;
  const opened = await mentions?.find(mention, { store });
  if (opened !== undefined) {
    const session = await store.get(paths.session(opened.sessionId), sessionType);
    return session && { session: session.value, destination: opened.destination };
  }
  // A message of the channel starts a thread of its own.
  if (thread === message) return undefined;
  for (const name of destinations) {
    const found = await (await find(name))?.destination.idAt?.(thread);
    if (found?.outcome === 'failed')
      throw new RetryableError('SOURCE_UNAVAILABLE', `the thread was not read: ${found.failure.message}`);
    const [, sessionId, destination = ''] =
      /^(.+)\.([A-Za-z][\w-]*)\.[a-z]+\.[^.]+$/.exec(found?.id ?? '') ?? [];
    if (sessionId === undefined || !destinations.includes(destination)) continue;
    // Other apps can write the same id into their messages; the stored reference is our own.
    const stored = await store.get(threadType.paths.thread(sessionId, destination), threadType);
    if (stored?.value.rootRef !== thread) continue;
    const session = await store.get(paths.session(sessionId), sessionType);
    return session && { session: session.value, destination };
  }
  return undefined;
}

/** The message with the answer, which its stage makes due at its end. */
function awaitedAnswer(
  { sessionId, expireAt }: Session,
  destination: string,
  stageId: string,
  now: Date,
): Write {
  const answer: Delivery = {
    sessionId,
    destination,
    event: 'answer',
    key: stageId,
    isRepeated: false,
    ...unsentProgress(now),
    state: 'awaited',
    dueAt: null,
    expireAt,
    createdAt: now,
  };
  return createDocument(
    deliveryType.paths.delivery(sessionId, destination, 'answer', stageId),
    deliveryType,
    answer,
  );
}
