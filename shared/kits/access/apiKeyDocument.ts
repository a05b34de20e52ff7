// apiKeys/{keyId}: a key of a program that uses the API. Its secret is not stored.

import * as z from 'zod';
import { defineCollection } from '../../core/schema/defineCollection.ts';
import { API_ROLES } from '../../schema/apiRole.ts';

/** A key of the API. */
export const apiKeySchema = z.strictObject({
  keyId: z.string().min(1),
  /** The program that uses the key, as readers of a timeline see it. */
  name: z.string().min(1),
  tenantId: z.string().min(1),
  role: z.enum(API_ROLES),
  /** SHA-256 of the secret, in hex. The secret is random, so that a slower hash is not needed. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  createdBy: z.string().min(1),
  createdAt: z.date(),
  /** The HMAC of the other fields, except `revoked` (`core/contract/signatures.ts`). Without: refused. */
  mac: z.string().min(1).nullable(),
  /** Who revoked it and when; null if it was not revoked. */
  revoked: z.strictObject({ by: z.string().min(1), at: z.date() }).nullable(),
  /** When it expires; it is deleted later. */
  expireAt: z.date(),
});
/** A key of the API. */
export type ApiKey = z.infer<typeof apiKeySchema>;

export const apiKeyType = defineCollection({
  collection: 'apiKeys',
  name: 'apiKey',
  version: 2,
  schema: apiKeySchema,
  oldest: 1,
  // Keys of version 1 had no HMAC.
  upcast: (key) => ({ ...key, mac: null }),
  paths: { apiKeys: 'apiKeys', apiKey: (keyId: string) => `apiKeys/${keyId}` },
  // Authenticates requests before their tenant is known.
  owner: 'operators',
  erase: 'tenant',
});
