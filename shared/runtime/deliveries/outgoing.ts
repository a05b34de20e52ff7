// The message that a destination gets, from the stored documents.

import { problemSubject } from '../../alerts/problemState.ts';
import { createProblemReader } from '../../alerts/readProblem.ts';
import type { OutgoingMessage } from '../../contract/destination.ts';
import type { Store } from '../../contract/store.ts';
import { isTerminal } from '../../schema/common.ts';
import {
  alertCountsType,
  approvalType,
  executionType,
  outcomeType,
  paths,
  sessionType,
  stageType,
  timelineEventType,
} from '../../schema/documents.ts';
import type { Delivery } from '../../schema/features/delivery.ts';
import { readableType } from '../../schema/readable.ts';
import type { Session } from '../../schema/session.ts';
import { type Elicit, readElicit } from '../../text/elicit.ts';
import { parseJson } from '../../text/json.ts';
import type { ProblemState } from '../../text/problemWords.ts';
import { type AnswerField, readAnswerFields } from './answerFields.ts';
import { type MessageSources, messageOf } from './messages.ts';
import type { Attempt, Work } from './work.ts';

/** The message as the session is now: an edit always shows the latest state. */
export async function outgoingOf(
  action: Attempt,
  delivery: Delivery,
  place: string | null,
  { deps, configured }: Work,
): Promise<OutgoingMessage> {
  const { sessionId, destination, event, key, firstSentAt } = delivery;
  const { store: documents, clock, publicUrl } = deps;
  const session = (await documents.get(paths.session(sessionId), sessionType))?.value;
  if (session === undefined) throw new Error(`session ${sessionId} no longer exists`);
  const isApproval = event === 'approval' || event === 'decided';
  const approval = isApproval ? (await documents.get(paths.approval(key), approvalType))?.value : undefined;
  const answer = event === 'answer' ? await answerOf(sessionId, key, documents) : undefined;
  const outcome =
    event === 'outcome' ? (await documents.get(paths.outcome(sessionId), outcomeType))?.value : undefined;
  const asked = event === 'asked' ? await questionOf(sessionId, key, documents) : undefined;
  const problem = await readProblem(session, documents);
  const now = clock.now();
  const { isRepeated } = delivery;
  const fields = await resultFields(session, configured.fields, documents);
  const sources = {
    session,
    problem,
    delivery,
    approval,
    asked,
    answer,
    outcome,
    fields,
    publicUrl,
    isRepeated,
    now,
  };
  return {
    ...messageAbout(`${sessionId}.${destination}.${event}.${key}`, sources),
    thread: action.form === 'reply' ? action.thread : null,
    place: place,
    occurredAt: delivery.createdAt,
    firstSentAt: firstSentAt ?? now,
  };
}

/** The state of the problem of a session. Documents that cannot be read count as missing: the message is sent. */
export async function readProblem(
  session: Session,
  store: Pick<Store, 'get' | 'listIds'>,
): Promise<ProblemState | null> {
  const counts = await store.get(paths.alertCounts(session.sessionId), readableType(alertCountsType));
  return (await createProblemReader(store)(problemSubject(session), counts?.value.value)).problem;
}

/** A message about a session that is in no thread, at the default place of its destination: of this time, and sent first now. */
export function messageAbout(id: string, sources: MessageSources): OutgoingMessage {
  const { sessionId, tenantId, chain, status, alert, createdAt, endedAt } = sources.session;
  return {
    id,
    event: sources.delivery.event as OutgoingMessage['event'],
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
      problem: sources.problem,
    },
    message: messageOf(sources),
    occurredAt: sources.now,
    firstSentAt: sources.now,
  };
}

/** The fields that a destination shows of a session that has ended; none of one that runs. */
export async function resultFields(
  session: Session,
  names: readonly string[] = [],
  store: Store,
): Promise<AnswerField[]> {
  return isTerminal(session.status) ? await readAnswerFields(session, names, { store }) : [];
}

/** The question of an agent to people, as its event has it; undefined if it is no longer stored. */
async function questionOf(sessionId: string, eventId: string, store: Store): Promise<Elicit | undefined> {
  const event = (await store.get(`${paths.timeline(sessionId)}/${eventId}`, timelineEventType))?.value;
  return event?.eventType === 'action' ? readElicit(parseJson(event.metadata.payload ?? '')) : undefined;
}

/** The answer of the stage of a question; null if it has none. */
async function answerOf(sessionId: string, stageId: string, store: Store): Promise<string | null> {
  const stage = await store.get(paths.stage(sessionId, stageId), stageType);
  const [executionId] = stage?.value.expectedExecutions ?? [];
  if (executionId === undefined) return null;
  const execution = await store.get(paths.execution(sessionId, executionId), executionType);
  return execution?.value.finalAnalysis ?? null;
}
