// rejectedMessages/{function}.{messageId}: a Pub/Sub message that could not be accepted, and why.
// The message is acked, because redelivery cannot help; this document keeps its content.

import * as z from 'zod';
import { failureSchema } from './common.ts';

/** A Pub/Sub message that could not be accepted. */
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
/** A Pub/Sub message that could not be accepted. */
export type RejectedMessage = z.infer<typeof rejectedMessageSchema>;
