// The message on the `iterations` topic. Contains only ids, because Eventarc limits an event to 512 KB.

import * as z from 'zod';

/** The version of the message that this code publishes and accepts. */
export const ITERATION_MESSAGE_VERSION = 1;

/**
 * An id of `deriveSessionId` or `composeExecutionId`; `~` separates a parent's id from the number of its
 * child. A message with any other id is rejected, because it would fail at every delivery.
 */
const documentId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_~-]{0,199}$/, 'not the id of a document of ours');

/** A request to run one iteration. */
export const iterationMessageSchema = z.strictObject({
  schemaVersion: z.literal(ITERATION_MESSAGE_VERSION),
  sessionId: documentId,
  executionId: documentId,
  iteration: z.int().positive(),
});
/** A request to run one iteration. */
export type IterationMessage = z.infer<typeof iterationMessageSchema>;
