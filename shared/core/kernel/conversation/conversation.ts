// Reads an execution's messages: blocks and provider's form, from messages or documents below them.

import { parseJson } from '../../../text/json.ts';
import { quickCheck } from '../../../text/schema/quickCheck.ts';
import type { ConversationMessage } from '../../contract/llm.ts';
import type { Store } from '../../contract/store.ts';
import { TerminalError } from '../../errors.ts';
import { messagePartType, messageType, paths } from '../../schema/coreDocuments.ts';
import { numberedId } from '../../schema/ids.ts';
import { type Block, type Message, messageSchema } from '../../schema/message.ts';
import { captureFailure, type Reading } from '../documents/reading.ts';

/** Messages of one execution by their number, in order. */
export type NumberedMessages = ReadonlyMap<number, ConversationMessage>;

/** No messages. */
export const NOTHING: NumberedMessages = new Map();

/** A message with the texts of the documents below it, in order. */
export interface StoredMessage {
  /** The document of the message. */
  message: Message;
  /** Texts of parts and blocks that the message's own document lacks; empty for a small message. */
  pieces: string[];
}

/**
 * Reads the stored messages of an execution with one query, and one more for each message with pieces below
 * it.
 * @param range the first and last number to read; default: all messages.
 * @throws SchemaVersionError `SCHEMA_TOO_NEW` for documents of newer code; RetryableError when the store
 * fails.
 */
export async function readMessages(
  store: Store,
  sessionId: string,
  executionId: string,
  range?: { first: number; last: number },
): Promise<Reading<NumberedMessages>> {
  const collection = paths.messages(sessionId);
  const query =
    range === undefined
      ? { collection, idPrefix: `${executionId}.` }
      : {
          collection,
          idRange: { from: numberedId(executionId, range.first), to: numberedId(executionId, range.last) },
        };
  const readOne = async (message: Message): Promise<[number, ConversationMessage]> => {
    const pieces = hasPieces(message) ? await readPieces(store, message) : [];
    return [message.sequenceNumber, toConversation({ message, pieces })];
  };
  return captureFailure(
    store
      .list(query, messageType)
      .then((stored) => Promise.all(stored.map(({ value }) => readOne(value))))
      .then((messages) => new Map(messages)),
  );
}

/** A new message in the form in which it is read: a copy that shares no memory with its sources. */
export function writtenMessage({ message, pieces }: StoredMessage): ConversationMessage {
  const { message: copy, pieces: texts } = copyAsStored({ message, pieces });
  return toConversation({ message: { ...copy, blocks: readBlocks(message, copy.blocks) }, pieces: texts });
}

/** Half of a surrogate pair, as JSON writes it. */
const HALF_PAIR = /\\ud[89a-f]/;

/** A store drops undefined fields and replaces half surrogate pairs. */
function copyAsStored<T>(value: T): T {
  const json = JSON.stringify(value);
  if (!HALF_PAIR.test(json)) return JSON.parse(json);
  return JSON.parse(json, (_, field: unknown) => (typeof field === 'string' ? field.toWellFormed() : field));
}

/** @throws TerminalError `DOCUMENT_INVALID` if the pieces are not blocks. */
function toConversation({ message, pieces }: StoredMessage): ConversationMessage {
  const { role, providerParts, blockDocuments, iteration } = message;
  const partDocuments = providerParts?.partDocuments ?? 0;
  const blocks =
    blockDocuments > 0
      ? readBlocks(message, parseJson(pieces.slice(partDocuments).join('')))
      : message.blocks;
  const read: ConversationMessage = { role, blocks, ...(iteration !== null && { iteration }) };
  if (providerParts === null) return read;
  const { provider, model } = providerParts;
  const data = providerParts.parts ?? pieces.slice(0, partDocuments).join('');
  return { ...read, replay: { provider, model, data } };
}

function hasPieces({ providerParts, blockDocuments }: Message): boolean {
  return blockDocuments + (providerParts?.partDocuments ?? 0) > 0;
}

async function readPieces(store: Store, message: Message): Promise<string[]> {
  const id = numberedId(message.executionId, message.sequenceNumber);
  const collection = `${paths.messages(message.sessionId)}/${id}/parts`;
  const parts = await store.list({ collection }, messagePartType);
  return parts.map(({ value }) => value.text);
}

const areBlocks = quickCheck(messageSchema.shape.blocks);

function readBlocks({ executionId, sequenceNumber }: Message, blocks: unknown): Block[] {
  if (areBlocks(blocks)) return blocks as Block[];
  const read = messageSchema.shape.blocks.safeParse(blocks);
  if (read.success) return read.data;
  const id = numberedId(executionId, sequenceNumber);
  throw new TerminalError('DOCUMENT_INVALID', `the pieces of message ${id} are no blocks`, {
    cause: read.error,
  });
}
