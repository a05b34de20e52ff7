// Loads an execution's conversation: blocks and the provider's own form, from the messages or the documents below them.

import type { ConversationMessage } from '../../contract/llm.ts';
import type { Store } from '../../contract/store.ts';
import { TerminalError } from '../../errors.ts';
import { messagePartType, messageType, numberedId, paths } from '../../schema/documents.ts';
import { type Block, type Message, messageSchema } from '../../schema/message.ts';
import { parseJson } from '../../text/json.ts';
import { captureFailure, type Reading } from '../reading.ts';

/**
 * The messages of an execution in order. One query, and one more for each message with pieces below it.
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
  const { role, providerParts, blockDocuments, iteration } = message;
  const pieces = hasPieces(message) ? await loadPieces(store, message) : [];
  const partDocuments = providerParts?.partDocuments ?? 0;
  const blocks =
    blockDocuments > 0 ? readBlocks(message, pieces.slice(partDocuments).join('')) : message.blocks;
  const read: ConversationMessage = { role, blocks, ...(iteration !== null && { iteration }) };
  if (providerParts === null) return read;
  const { provider, model } = providerParts;
  const data = providerParts.parts ?? pieces.slice(0, partDocuments).join('');
  return { ...read, replay: { provider, model, data } };
}

function hasPieces({ providerParts, blockDocuments }: Message): boolean {
  return blockDocuments + (providerParts?.partDocuments ?? 0) > 0;
}

async function loadPieces(store: Store, message: Message): Promise<string[]> {
  const id = numberedId(message.executionId, message.sequenceNumber);
  const collection = `${paths.messages(message.sessionId)}/${id}/parts`;
  const parts = await store.list({ collection }, messagePartType);
  return parts.map(({ value }) => value.text);
}

function readBlocks({ executionId, sequenceNumber }: Message, json: string): Block[] {
  const read = messageSchema.shape.blocks.safeParse(parseJson(json));
  if (read.success) return read.data;
  const id = numberedId(executionId, sequenceNumber);
  throw new TerminalError('DOCUMENT_INVALID', `the pieces of message ${id} are no blocks`, {
    cause: read.error,
  });
}
