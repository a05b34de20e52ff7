// Reads an execution's conversation back: blocks, and the provider's parts from wherever they are kept.

import type { ConversationMessage, ProviderPart } from '../llm/types.ts';
import { messagePartType, messageType, numberedId, paths } from '../schema/documents.ts';
import type { Message } from '../schema/message.ts';
import type { Store } from '../store/store.ts';

/** The messages of an execution in order. One query; one more for each message with large parts. */
export async function loadConversation(
  store: Store,
  sessionId: string,
  executionId: string,
): Promise<ConversationMessage[]> {
  const stored = await store.list(
    { collection: paths.messages(sessionId), idPrefix: `${executionId}.` },
    messageType,
  );
  return Promise.all(stored.map(({ value }) => toConversation(store, value)));
}

async function toConversation(store: Store, message: Message): Promise<ConversationMessage> {
  const { role, blocks, providerParts } = message;
  if (providerParts === null) return { role, blocks };
  const json = providerParts.parts ?? (await joinPartDocuments(store, message));
  return {
    role,
    blocks,
    provider: {
      provider: providerParts.provider,
      model: providerParts.model,
      parts: JSON.parse(json) as ProviderPart[],
    },
  };
}

async function joinPartDocuments(store: Store, message: Message): Promise<string> {
  const collection = `${paths.messages(message.sessionId)}/${numberedId(message.executionId, message.sequenceNumber)}/parts`;
  const parts = await store.list({ collection }, messagePartType);
  return parts.map(({ value }) => value.text).join('');
}
