// Finds the whole text of a message that is shortened in a conversation.

import type { Store } from '../../../core/contract/store.ts';
import { chatExecutionId, questionOfMessage } from '../../../core/kernel/conversation/chatStage.ts';
import { executionType, paths, sessionType, timelineEventType } from '../../../core/schema/coreDocuments.ts';
import type { Session } from '../../../core/schema/session.ts';
import { tenantStore } from '../../tenants/tenantStore.ts';
import { parseMessageKey } from './messageKey.ts';

/** A message of a session, whole. Its secrets are masked, as in every stored text. */
interface FoundMessage {
  /** The session that the message belongs to. */
  sessionId: string;
  /** Its position in the session, from 0. */
  index: number;
  /** `user` for a question, `assistant` for an answer. */
  role: 'user' | 'assistant';
  /** The whole text, of any length. */
  text: string;
  /** When the message was stored. */
  createdAt: Date;
}

/**
 * Returns the message that a key (`session-{id}-msg-{index}`) names, of a session of this tenant. Reads three
 * documents.
 * @returns undefined for an invalid key, for messages that do not exist (including answers that are not
 *   written yet), and for those of other tenants.
 * @throws RetryableError when the store fails; TerminalError for a document that cannot be read.
 */
export async function lookupMessage(
  store: Store,
  tenantId: string,
  key: string,
): Promise<FoundMessage | undefined> {
  const parsed = parseMessageKey(key);
  if (parsed === undefined) return undefined;
  const { sessionId, index } = parsed;
  const own = tenantStore(store, tenantId);
  const session = await own.get(paths.session(sessionId), sessionType);
  return session && messageAt(session.value, index, own);
}

/**
 * Returns the message at a position of a session; undefined if it does not exist. Reads one document.
 * @throws as `lookupMessage`.
 */
export async function messageAt(
  session: Session,
  index: number,
  store: Pick<Store, 'get'>,
): Promise<FoundMessage | undefined> {
  const { sessionId, questions } = session;
  const { number, role } = questionOfMessage(index);
  if (number > questions) return undefined;
  const executionId = chatExecutionId(session, number);
  if (role === 'user') {
    const event = await store.get(paths.event(sessionId, executionId, 1), timelineEventType);
    return event && { sessionId, index, role, text: event.value.content, createdAt: event.value.createdAt };
  }
  const execution = await store.get(paths.execution(sessionId, executionId), executionType);
  const { finalAnalysis: text, endedAt } = execution?.value ?? {};
  return text && endedAt ? { sessionId, index, role, text, createdAt: endedAt } : undefined;
}
