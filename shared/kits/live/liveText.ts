// The streaming text of a model, for readers who watch its session. No iteration reads it.

import * as z from 'zod';
import { BELOW_SESSION, defineCollection } from '../../core/schema/defineCollection.ts';

/**
 * sessions/{sessionId}/live/{executionId}: written while the session is watched, replaced as a whole, and
 * deleted when the answer is stored. A process that dies leaves it behind.
 */
export const liveTextSchema = z.strictObject({
  sessionId: z.string().min(1),
  executionId: z.string().min(1),
  iteration: z.int().positive(),
  /** The end of the streamed text so far, masked, without a possible start of a secret. */
  text: z.string(),
  /** UTF-16 units that are left out before `text`. */
  textStart: z.int().nonnegative(),
  thinking: z.string(),
  thinkingStart: z.int().nonnegative(),
  /** Whether a stored answer contains the text word for word; otherwise it is processed first. */
  verbatim: z.boolean(),
  /** When it becomes stale; its writer renews it. */
  freshUntil: z.date(),
  expireAt: z.date(),
});
/** The streaming text of a model. */
export type LiveText = z.infer<typeof liveTextSchema>;

export const liveTextType = defineCollection({
  collection: 'live',
  name: 'liveText',
  schema: liveTextSchema,
  paths: {
    allLive: (sessionId: string) => `sessions/${sessionId}/live`,
    live: (sessionId: string, executionId: string) => `sessions/${sessionId}/live/${executionId}`,
  },
  ...BELOW_SESSION,
});
