// sessions/{sessionId}/messages/{executionId}.{seq}: the conversation with the model, as portable blocks
// plus the provider's own parts, which are replayed to it byte for byte.

import * as z from 'zod';
import { type Block, blockSchema } from './block.ts';
import type { Upcaster } from './documentType.ts';

export type { Block };

/**
 * The provider's own form of an assistant message. `parts` is its `Replay.data` (of Google: the JSON of the part list in
 * order of arrival); null when it is too large for this document and stands in messages/{id}/parts/{n}.
 */
const providerPartsSchema = z.strictObject({
  provider: z.string().min(1),
  model: z.string().min(1),
  parts: z.string().nullable(),
  /** Number of documents below the message that hold `parts`; 0 when it is inline. */
  partDocuments: z.int().nonnegative(),
});
export type ProviderParts = z.infer<typeof providerPartsSchema>;

export const messageSchema = z.strictObject({
  sessionId: z.string().min(1),
  executionId: z.string().min(1),
  sequenceNumber: z.int().positive(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  blocks: z.array(blockSchema),
  providerParts: providerPartsSchema.nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
export type Message = z.infer<typeof messageSchema>;

export const messageUpcasters: Record<number, Upcaster> = {
  // Version 1 held a tool's result in the words of the agent's strategy: as a user's text for a ReAct agent. Such a text
  // still means the same; from version 2 on every result is a message of the role `tool`.
  1: (message) => message,
};

/** A provider's own form of an answer, from which it is sent back as it came. */
export interface Replay {
  provider: string;
  /** The model that gave the answer. */
  model: string;
  /** Opaque text, written by the client of `provider` and read by no other. */
  data: string;
}

/** A message without its place: about to be stored, or read back to be sent. */
export interface MessageDraft {
  role: Message['role'];
  blocks: Block[];
  replay?: Replay;
}

/** sessions/{sessionId}/messages/{messageId}/parts/{n}: a piece of a part list too large for its message. */
export const messagePartSchema = z.strictObject({
  part: z.int().positive(),
  text: z.string(),
  expireAt: z.date(),
});
export type MessagePart = z.infer<typeof messagePartSchema>;
