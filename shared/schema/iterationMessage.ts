// The message on the `iterations` topic. Ids only: Eventarc limits an event to 512 KB, and state lives in Firestore.

import * as z from 'zod';

export const ITERATION_MESSAGE_VERSION = 1;

/** What `sessionIdOf` and `executionIdOf` make. An id that can name no document would fail at every delivery. */
const documentId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/, 'not the id of a document of ours');

export const iterationMessageSchema = z.strictObject({
  schemaVersion: z.literal(ITERATION_MESSAGE_VERSION),
  sessionId: documentId,
  executionId: documentId,
  iteration: z.int().positive(),
});
export type IterationMessage = z.infer<typeof iterationMessageSchema>;
