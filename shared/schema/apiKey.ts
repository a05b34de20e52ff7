// apiKeys/{keyId}: a key of a program that asks the API. Its secret is stored nowhere.

import * as z from 'zod';

/** What callers of the API may do: read; act on sessions; change what agents are and know. Each may what those before may. */
export const API_ROLES = ['viewer', 'responder', 'admin'] as const;
/** What a caller of the API may do. */
export type ApiRole = (typeof API_ROLES)[number];

/** A key of the API. */
export const apiKeySchema = z.strictObject({
  keyId: z.string().min(1),
  /** The program that has it, as readers of a timeline see it. */
  name: z.string().min(1),
  tenantId: z.string().min(1),
  role: z.enum(API_ROLES),
  /** SHA-256 of the secret, in hex. The secret is random, so that nothing slower is needed. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  createdBy: z.string().min(1),
  createdAt: z.date(),
  /** Null until somebody ends it before its time. */
  revoked: z.strictObject({ by: z.string().min(1), at: z.date() }).nullable(),
  /** From then on it is refused, and deleted later. */
  expireAt: z.date(),
});
/** A key of the API. */
export type ApiKey = z.infer<typeof apiKeySchema>;
