// Makes every message about a session from stored documents: sent ones, previews, and tests.

import { problemSubject } from '../../alerts/problemState.ts';
import { createProblemReader } from '../../alerts/readProblem.ts';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { findChatThread } from '../../alerts/schema/sessionAsk.ts';
import type { OutgoingMessage } from '../../contract/destination.ts';
import type { Store } from '../../core/contract/store.ts';
import { isTerminal } from '../../core/schema/common.ts';
import {
  approvalType,
  executionType,
  paths,
  sessionType,
  stageType,
  timelineEventType,
} from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { outcomeType } from '../../kits/alerts/outcome.ts';
import type { Delivery } from '../../kits/deliveries/delivery.ts';
import { readCounts } from '../../kits/views/reports.ts';
import { type Elicit, readElicit } from '../../text/elicit.ts';
import { parseJson } from '../../text/json.ts';
import type { ProblemState } from '../../text/problemWords.ts';
import { type AnswerField, readAnswerFields } from './contents/answerFields.ts';
import type { MessageSources } from './contents/messageParts.ts';
import { composeDeliveryMessage } from './contents/messageText.ts';
import type { Attempt, Work } from './threadWork.ts';

/** The message as the session is now: an edit always shows the latest state. */
export async function composeOutgoing(
  action: Attempt,
  delivery: Delivery,
  place: string | null,
  { deps, configured }: Work,
): Promise<OutgoingMessage> {
  const { sessionId, firstSentAt, createdAt } = delivery;
  const { store, clock, publicUrl } = deps;
  const session = (await store.get(paths.session(sessionId), sessionType))?.value;
  if (session === undefined) throw new Error(`session ${sessionId} no longer exists`);
  const about = { session, delivery, fields: configured.fields, publicUrl, now: clock.now() };
  const outgoing = await buildOutgoing(about, store);
  return {
    ...outgoing,
    // A reply to a reply is none in Slack: all messages are below the first one of the thread.
    thread: findChatThread(session, delivery.destination) ?? (action.form === 'reply' ? action.thread : null),
    place,
    occurredAt: createdAt,
    firstSentAt: firstSentAt ?? outgoing.firstSentAt,
  };
}

interface MessageRequest extends Pick<MessageSources, 'session' | 'publicUrl' | 'now'> {
  delivery: Pick<Delivery, 'destination' | 'event' | 'key' | 'isRepeated'>;
  /** The fields of structured answers that its destination shows. Absent: none. */
  fields?: readonly string[] | undefined;
}

/**
 * A message about a session that is in no thread, at the default place of its destination: of this time, and
 * sent first now.
 * @throws RetryableError when the store fails, and for documents of newer code.
 */
export async function buildOutgoing(
  { session, delivery, fields, publicUrl, now }: MessageRequest,
  store: Store,
): Promise<OutgoingMessage> {
  const { sessionId, tenantId, chain, status, createdAt, endedAt } = session;
  const alert = readSessionAlert(session);
  const { destination, event, key } = delivery;
  const problem = await readProblem(session, store);
  const message = composeDeliveryMessage({
    session,
    problem,
    delivery,
    ...(await readSubject(sessionId, event, key, store)),
    fields: await resultFields(session, fields, store),
    publicUrl,
    now,
  });
  return {
    id: `${sessionId}.${destination}.${event}.${key}`,
    event: event as OutgoingMessage['event'],
    thread: null,
    place: null,
    session: {
      sessionId,
      tenantId,
      chain: chain.name,
      status,
      createdAt,
      endedAt,
      severity: alert?.severity ?? null,
      source: alert?.source ?? null,
      problem,
    },
    message,
    occurredAt: now,
    firstSentAt: now,
  };
}

/** The document beside the session that a message is about. */
async function readSubject(
  sessionId: string,
  event: string,
  key: string,
  store: Store,
): Promise<Pick<MessageSources, 'approval' | 'asked' | 'answer' | 'outcome'>> {
  switch (event) {
    case 'approval':
    case 'decided':
      return { approval: (await store.get(paths.approval(key), approvalType))?.value };
    case 'answer':
      return { answer: await loadStageAnswer(sessionId, key, store) };
    case 'outcome':
      return { outcome: (await store.get(outcomeType.paths.outcome(sessionId), outcomeType))?.value };
    case 'asked':
      return { asked: await loadElicitedQuestion(sessionId, key, store) };
    default:
      return {};
  }
}

/** The state of a session's problem. Unreadable documents count as missing: the message is sent. */
export async function readProblem(
  session: Session,
  store: Pick<Store, 'get' | 'listIds' | 'count'>,
): Promise<ProblemState | null> {
  const { value: counts } = await readCounts(session.sessionId, store);
  return (await createProblemReader(store)(problemSubject(session), counts)).problem;
}

/** The fields that a destination shows of a session that has ended; none of one that runs. */
async function resultFields(
  session: Session,
  names: readonly string[] = [],
  store: Store,
): Promise<AnswerField[]> {
  return isTerminal(session.status) ? await readAnswerFields(session, names, { store }) : [];
}

/** The question of an agent to people, as its event has it; undefined if it is no longer stored. */
async function loadElicitedQuestion(
  sessionId: string,
  eventId: string,
  store: Store,
): Promise<Elicit | undefined> {
  const event = (await store.get(`${paths.timeline(sessionId)}/${eventId}`, timelineEventType))?.value;
  return event?.eventType === 'action' ? readElicit(parseJson(event.metadata.payload ?? '')) : undefined;
}

/** The answer of the stage of a question; null if it has none. */
async function loadStageAnswer(sessionId: string, stageId: string, store: Store): Promise<string | null> {
  const stage = await store.get(paths.stage(sessionId, stageId), stageType);
  const [executionId] = stage?.value.expectedExecutions ?? [];
  if (executionId === undefined) return null;
  const execution = await store.get(paths.execution(sessionId, executionId), executionType);
  return execution?.value.finalAnalysis ?? null;
}
