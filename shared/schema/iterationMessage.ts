// The message on the `iterations` topic. Ids only: Eventarc limits an event to 512 KB, and state lives in Firestore.

import { z } from 'zod';

export const ITERATION_MESSAGE_VERSION = 1;

export const iterationMessageSchema = z.strictObject({
  schemaVersion: z.literal(ITERATION_MESSAGE_VERSION),
  sessionId: z.string().min(1),
  executionId: z.string().min(1),
  iteration: z.int().positive(),
});
export type IterationMessage = z.infer<typeof iterationMessageSchema>;
