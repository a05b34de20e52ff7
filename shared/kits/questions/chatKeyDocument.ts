// chatKeys/{tenantId}.{digest of the id}: the session that a client identifies by its own id.

import * as z from 'zod';
import { defineCollection } from '../../core/schema/defineCollection.ts';
import { documentTitle, documentTitleSchema } from '../../core/schema/documentTitle.ts';

/** The session of a client's own id. The id itself is not stored. */
const chatKeySchema = z.strictObject({
  /** Names the session, for people (documentTitle.ts). */
  title: documentTitleSchema,
  tenantId: z.string().min(1),
  sessionId: z.string().min(1),
  /** The `expireAt` of the session. */
  expireAt: z.date(),
  createdAt: z.date(),
});
/** The session of a client's own id. */
export type ChatKey = z.infer<typeof chatKeySchema>;

/** The title of a key: the client's own id is not stored. */
export const chatKeyTitle = (sessionId: string): string => documentTitle(`Chat ${sessionId}`);

export const chatKeyType = defineCollection({
  collection: 'chatKeys',
  name: 'chatKey',
  version: 2,
  schema: chatKeySchema,
  oldest: 1,
  // Version 1 had no title.
  upcast: (key) => ({ ...key, title: chatKeyTitle(String(key.sessionId)) }),
  paths: { chatKey: (tenantId: string, idDigest: string) => `chatKeys/${tenantId}.${idDigest}` },
  owner: 'tenant',
  erase: 'field',
  indexes: { fields: ['sessionId'] },
});
