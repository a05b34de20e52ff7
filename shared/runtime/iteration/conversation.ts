// Loads an execution's conversation: blocks, and the provider's own form from the message or the documents below it.

import type { ConversationMessage } from '../../contract/llm.ts';
import type { Store } from '../../contract/store.ts';
import { messagePartType, messageType, numberedId, paths } from '../../schema/documents.ts';
import type { Message } from '../../schema/message.ts';
import { captureFailure, type Reading } from '../reading.ts';

/**
 * The messages of an execution in order. One query, and one more for each message whose parts are stored apart.
 * @throws SchemaVersionError `SCHEMA_TOO_NEW` for documents of newer code; RetryableError when the store fails.
 */
export async function loadConversation(
  store: Store,
  sessionId: string,
  executionId: string,
): Promise<Reading<ConversationMessage[]>> {
  const query = { collection: paths.messages(sessionId), idPrefix: `${executionId}.` };
  return captureFailure(
    store
      .list(query, messageType)
      .then((stored) => Promise.all(stored.map(({ value }) => toConversation(store, value)))),
  );
}

async function toConversation(store: Store, message: Message): Promise<ConversationMessage> {
  const { role, blocks, providerParts, iteration } = message;
  const read: ConversationMessage = { role, blocks, ...(iteration !== null && { iteration }) };
  if (providerParts === null) return read;
  const { provider, model } = providerParts;
  const data = providerParts.parts ?? (await joinPartDocuments(store, message));
  return { ...read, replay: { provider, model, data } };
}

async function joinPartDocuments(store: Store, message: Message): Promise<string> {
  const id = numberedId(message.executionId, message.sequenceNumber);
  const collection = `${paths.messages(message.sessionId)}/${id}/parts`;
  const parts = await store.list({ collection }, messagePartType);
  return parts.map(({ value }) => value.text).join('');
}
