// sessions/{sessionId}/messages/{executionId}.{seq}: the conversation with the model, as portable blocks
// plus the provider's own parts, which are replayed to it byte for byte.

import * as z from 'zod';
import { type Block, blockSchema } from './block.ts';

export type { Block };

/**
 * The provider's own form of an assistant message. `parts` is the JSON of its part list in order of arrival;
 * null when it is too large for this document and stands in messages/{id}/parts/{n}.
 */
export const providerPartsSchema = z.strictObject({
  provider: z.literal('google'),
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

/** A message without its place: about to be stored, or read back to be sent. `parts` are the provider's, unserialised. */
export interface MessageDraft {
  role: Message['role'];
  blocks: Block[];
  provider?: { provider: 'google'; model: string; parts: Record<string, unknown>[] };
}

/** sessions/{sessionId}/messages/{messageId}/parts/{n}: a piece of a part list too large for its message. */
export const messagePartSchema = z.strictObject({
  part: z.int().positive(),
  text: z.string(),
  expireAt: z.date(),
});
export type MessagePart = z.infer<typeof messagePartSchema>;
