// sessions/{sessionId}/forks/{key}: a fork of the session, by the key of its request. Written before the
// documents of the fork, so that a repeated request finds them, and erasing the session erases them.

import * as z from 'zod';
import { BELOW_SESSION, defineCollection } from '../../core/schema/defineCollection.ts';

const forkLinkSchema = z.strictObject({
  forkId: z.string().min(1),
  /** `copying`: its session is stored, and starts when all messages are. */
  state: z.enum(['opening', 'copying', 'open']),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** A fork of a session. */
export type ForkLink = z.infer<typeof forkLinkSchema>;

export const forkLinkType = defineCollection({
  collection: 'forks',
  name: 'forkLink',
  schema: forkLinkSchema,
  paths: {
    forks: (sessionId: string) => `sessions/${sessionId}/forks`,
    forkLink: (sessionId: string, key: string) => `sessions/${sessionId}/forks/${key}`,
  },
  ...BELOW_SESSION,
  copies: 'forkId',
});
