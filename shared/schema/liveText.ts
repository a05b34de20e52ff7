// What a model says while it speaks, for readers who watch its session. No iteration reads it.

import * as z from 'zod';

/**
 * sessions/{sessionId}/live/{executionId}: written while the session is watched, replaced as a whole, and deleted when the answer is
 * stored. A process that dies leaves it.
 */
export const liveTextSchema = z.strictObject({
  sessionId: z.string().min(1),
  executionId: z.string().min(1),
  iteration: z.int().positive(),
  /** The end of what was said so far, without secrets and without what may be the beginning of one. */
  text: z.string(),
  /** UTF-16 units that are left out before `text`. */
  textStart: z.int().nonnegative(),
  thinking: z.string(),
  thinkingStart: z.int().nonnegative(),
  /** Whether the text is stored word for word if the answer is; else something is made of it. */
  verbatim: z.boolean(),
  /** Until when it counts; its writer renews it. */
  freshUntil: z.date(),
  expireAt: z.date(),
});
/** What a model says while it speaks. */
export type LiveText = z.infer<typeof liveTextSchema>;
