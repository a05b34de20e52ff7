// sessions/{sessionId}/messages/{executionId}.{seq}: the conversation with the model, as portable blocks and
// as the provider's own parts, which are sent back byte for byte.

import * as z from 'zod';
import { type Block, blockSchema } from './block.ts';
import { BELOW_SESSION, defineCollection } from './defineCollection.ts';
import { numberedId, pad } from './ids.ts';

export type { Block };

/**
 * The provider's own form of an assistant message. `parts` is its `Replay.data` (for Google the JSON of the
 * part list in order of arrival), or null when it is too large for this document and is stored in
 * messages/{id}/parts/{n}.
 */
const providerPartsSchema = z.strictObject({
  provider: z.string().min(1),
  model: z.string().min(1),
  parts: z.string().nullable(),
  /** Number of documents below the message that hold `parts`; 0 when it is inline. */
  partDocuments: z.int().nonnegative(),
});
/** A message of an execution's conversation. */
export const messageSchema = z.strictObject({
  sessionId: z.string().min(1),
  executionId: z.string().min(1),
  sequenceNumber: z.int().positive(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  /** The iteration in which it was appended; null in messages of schema version 1. */
  iteration: z.int().positive().nullable(),
  /** All blocks; if `blockDocuments` is not 0, only the first of them. */
  blocks: z.array(blockSchema),
  /** Number of documents in messages/{id}/parts, after `providerParts`, with all blocks as JSON. */
  blockDocuments: z.int().nonnegative(),
  providerParts: providerPartsSchema.nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** A message of an execution's conversation. */
export type Message = z.infer<typeof messageSchema>;

/** A provider's own form of an answer, which is sent back to the provider unchanged. */
export interface Replay {
  /** Name of the provider whose client wrote `data`, `google`. Other clients ignore it. */
  provider: string;
  /** The model that answered. */
  model: string;
  /** Opaque text that only the client of `provider` writes and reads. */
  data: string;
}

/** A message before the runtime assigns its ids and numbers. */
export interface MessageDraft {
  /** The author: `tool` for results of tool calls. */
  role: Message['role'];
  /** Portable contents, in order. */
  blocks: Block[];
  /** The provider's own form of an answer. Absent for messages that no model wrote. */
  replay?: Replay;
}

/** sessions/{sessionId}/messages/{messageId}/parts/{n}: a piece of a message above a document's limit. */
export const messagePartSchema = z.strictObject({
  part: z.int().positive(),
  text: z.string(),
  expireAt: z.date(),
});
/** A piece of a message's provider parts or blocks. */
export type MessagePart = z.infer<typeof messagePartSchema>;

export const messageType = defineCollection({
  collection: 'messages',
  name: 'message',
  version: 4,
  schema: messageSchema,
  oldest: 2,
  // Results of version 2 stated neither their kind nor a field list.
  upcast: (message) => message,
  paths: {
    messages: (sessionId: string) => `sessions/${sessionId}/messages`,
    message: (sessionId: string, executionId: string, sequenceNumber: number) =>
      `sessions/${sessionId}/messages/${numberedId(executionId, sequenceNumber)}`,
  },
  ...BELOW_SESSION,
  indexes: { group: ['schemaVersion'] },
});

export const messagePartType = defineCollection({
  collection: 'parts',
  name: 'messagePart',
  schema: messagePartSchema,
  paths: {
    messagePart: (sessionId: string, executionId: string, sequenceNumber: number, part: number) =>
      `sessions/${sessionId}/messages/${numberedId(executionId, sequenceNumber)}/parts/${pad(part, 3)}`,
  },
  ...BELOW_SESSION,
});
