// Reads an execution's conversation back: blocks, and the provider's own form from wherever it is kept.

import type { ConversationMessage } from '../../contract/llm.ts';
import type { Store } from '../../contract/store.ts';
import { TerminalError } from '../../errors.ts';
import type { Failure } from '../../schema/common.ts';
import { messagePartType, messageType, numberedId, paths } from '../../schema/documents.ts';
import type { Message } from '../../schema/message.ts';

/** What was read. With a `failure` it is not the whole conversation, and never will be. */
export interface LoadedConversation {
  conversation: ConversationMessage[];
  failure?: Failure;
}

/**
 * The messages of an execution in order. One query; one more for each message with large parts.
 * @throws SchemaVersionError `SCHEMA_TOO_NEW`: newer code can read them; RetryableError when the store fails.
 */
export async function loadConversation(
  store: Store,
  sessionId: string,
  executionId: string,
): Promise<LoadedConversation> {
  try {
    const stored = await store.list(
      { collection: paths.messages(sessionId), idPrefix: `${executionId}.` },
      messageType,
    );
    return { conversation: await Promise.all(stored.map(({ value }) => toConversation(store, value))) };
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    return { conversation: [], failure: { code: error.code, message: error.message } };
  }
}

async function toConversation(store: Store, message: Message): Promise<ConversationMessage> {
  const { role, blocks, providerParts } = message;
  if (providerParts === null) return { role, blocks };
  const { provider, model } = providerParts;
  const data = providerParts.parts ?? (await joinPartDocuments(store, message));
  return { role, blocks, replay: { provider, model, data } };
}

async function joinPartDocuments(store: Store, message: Message): Promise<string> {
  const id = numberedId(message.executionId, message.sequenceNumber);
  const collection = `${paths.messages(message.sessionId)}/${id}/parts`;
  const parts = await store.list({ collection }, messagePartType);
  return parts.map(({ value }) => value.text).join('');
}
