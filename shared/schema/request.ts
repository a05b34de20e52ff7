// requests/{tenantId}.{digest of caller and Idempotency-Key, or of a webhook}: stored so that a repetition gets the same answer.

import * as z from 'zod';

/** A writing request and its answer. */
export const requestSchema = z.strictObject({
  tenantId: z.string().min(1),
  /** SHA-256 of method, path and body, in hex. The same key with another digest is an error. */
  digest: z.string().min(1),
  /** HTTP status and body (JSON text) of the answer; null while the request is being handled. */
  answer: z.strictObject({ status: z.int(), body: z.string() }).nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** A writing request and its answer. */
export type Request = z.infer<typeof requestSchema>;
