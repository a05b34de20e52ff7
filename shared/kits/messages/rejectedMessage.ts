// rejectedMessages/{function}.{hour}.{code}: Pub/Sub messages that one function rejected for one reason
// within an hour. They are acked, because redelivery cannot help; the first of them are kept here.

import * as z from 'zod';
import type { ErrorCode } from '../../core/errors.ts';
import { openSet } from '../../core/schema/common.ts';
import { defineCollection } from '../../core/schema/defineCollection.ts';

/** Messages of an hour that are kept; the others are only counted. */
export const MAX_REJECTED_SAMPLES = 20;

const sampleSchema = z.strictObject({
  messageId: z.string().min(1),
  /** Why it was rejected, for people. */
  reason: z.string().min(1),
  attributes: z.record(z.string(), z.string()),
  dataBytes: z.int().nonnegative(),
  /** The first characters of the data. */
  excerpt: z.string(),
  at: z.date(),
});
/** A message that could not be accepted. */
export type RejectedSample = z.infer<typeof sampleSchema>;

/** Rejected messages as they are stored. */
export const rejectedMessageSchema = z.strictObject({
  function: z.string().min(1),
  /** In UTC: `2026-11-05T10`. */
  hour: z.string().min(1),
  code: openSet<ErrorCode>(),
  /** Number of rejections. A redelivery of a rejected message is counted again. */
  count: z.int().nonnegative(),
  samples: z.array(sampleSchema),
  expireAt: z.date(),
});
/** Rejected messages of one function, for one reason, within an hour. */
export type RejectedMessages = z.infer<typeof rejectedMessageSchema>;

export const rejectedMessageType = defineCollection({
  collection: 'rejectedMessages',
  name: 'rejectedMessage',
  version: 2,
  schema: rejectedMessageSchema,
  paths: {
    rejectedMessages: 'rejectedMessages',
    rejectedMessage: (functionName: string, hour: string, code: string) =>
      `rejectedMessages/${functionName}.${hour}.${code}`,
  },
  owner: 'operators',
  erase: 'samples',
});
