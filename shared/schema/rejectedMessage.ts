// rejectedMessages/{function}.{messageId}: a Pub/Sub message that could not be accepted, and why.
// It is acked, because redelivering it cannot help; this document is what remains of it.

import * as z from 'zod';
import { failureSchema } from './common.ts';

export const rejectedMessageSchema = z.strictObject({
  function: z.string().min(1),
  messageId: z.string().min(1),
  failure: failureSchema,
  attributes: z.record(z.string(), z.string()),
  dataBytes: z.int().nonnegative(),
  /** The first characters of the data. */
  excerpt: z.string(),
  createdAt: z.date(),
  expireAt: z.date(),
});
export type RejectedMessage = z.infer<typeof rejectedMessageSchema>;
