// waitingSessions/{chain}.{rank}.{time}.{sessionId}: sessions that start when their budget has room. The
// order of the ids of a chain is the order in which they start, so that the first one is found by reading one
// document.

import * as z from 'zod';
import { defineCollection } from '../../core/schema/defineCollection.ts';

/** An entry as stored. Written with the deferral; the sweep deletes it when the session is done waiting. */
const waitingSessionSchema = z.strictObject({
  sessionId: z.string().min(1),
  /** Equal to the session's. */
  expireAt: z.date(),
  /** When the budget deferred the session. */
  createdAt: z.date(),
});

export const waitingSessionType = defineCollection({
  collection: 'waitingSessions',
  name: 'waitingSession',
  schema: waitingSessionSchema,
  paths: {
    waitingSessions: 'waitingSessions',
    waitingSession: (chain: string, rank: number, since: string, sessionId: string) =>
      `waitingSessions/${chain}.${rank}.${since}.${sessionId}`,
  },
  // The sweep starts the sessions of all tenants in this order.
  owner: 'operators',
  erase: 'field',
  indexes: { fields: ['sessionId'] },
});
