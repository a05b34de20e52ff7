// The message that a destination gets, from the stored documents.

import type { OutgoingMessage } from '../../contract/destination.ts';
import type { Store } from '../../contract/store.ts';
import {
  approvalType,
  executionType,
  outcomeType,
  paths,
  sessionType,
  stageType,
} from '../../schema/documents.ts';
import type { Delivery } from '../../schema/features/delivery.ts';
import { type MessageSources, messageOf } from './messages.ts';
import type { Attempt, Work } from './work.ts';

/** The message as the session is now: an edit always shows the latest state. */
export async function outgoingOf(
  action: Attempt,
  delivery: Delivery,
  place: string | null,
  { deps }: Work,
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
  const now = clock.now();
  const { isRepeated } = delivery;
  const sources = { session, delivery, approval, answer, outcome, publicUrl, isRepeated, now };
  return {
    ...messageAbout(`${sessionId}.${destination}.${event}.${key}`, sources),
    thread: action.form === 'reply' ? action.thread : null,
    place: place,
    occurredAt: delivery.createdAt,
    firstSentAt: firstSentAt ?? now,
  };
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
    },
    message: messageOf(sources),
    occurredAt: sources.now,
    firstSentAt: sources.now,
  };
}

/** The answer of the stage of a question; null if it has none. */
async function answerOf(sessionId: string, stageId: string, store: Store): Promise<string | null> {
  const stage = await store.get(paths.stage(sessionId, stageId), stageType);
  const [executionId] = stage?.value.expectedExecutions ?? [];
  if (executionId === undefined) return null;
  const execution = await store.get(paths.execution(sessionId, executionId), executionType);
  return execution?.value.finalAnalysis ?? null;
}
