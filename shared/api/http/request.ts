// requests/{tenantId}.{digest of caller and Idempotency-Key, or of a webhook}: stored so that a repetition
// gets the same answer.

import * as z from 'zod';
import { defineCollection } from '../../core/schema/defineCollection.ts';
import { documentTitle, documentTitleSchema } from '../../core/schema/documentTitle.ts';

/** A writing request and its answer. */
export const requestSchema = z.strictObject({
  /** Method and path, for people (documentTitle.ts). */
  title: documentTitleSchema,
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

export const requestType = defineCollection({
  collection: 'requests',
  name: 'request',
  version: 2,
  schema: requestSchema,
  oldest: 1,
  // Version 1 had no title, and the digest does not reveal method and path.
  upcast: (request) => ({ ...request, title: documentTitle(`A request of ${String(request.tenantId)}`) }),
  paths: { request: (tenantId: string, keyDigest: string) => `requests/${tenantId}.${keyDigest}` },
  owner: 'tenant',
  erase: 'answer',
});
