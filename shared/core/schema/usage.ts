// usage/{subject}.{period} and sessions/{sessionId}/usage/{stageId}: how much was used up, and how much is
// reserved. Written only by increments, so that any number of processes can count concurrently.

import * as z from 'zod';
import { COUNTS_ONLY, defineCollection } from './defineCollection.ts';

/** A count as it is stored. */
export const usageSchema = z.strictObject({
  count: z.int().nonnegative(),
  /**
   * Tokens that are reserved for running calls, by the window of time in which they were reserved. A process
   * that dies leaves its reservations behind; those of past windows do not count.
   */
  reserved: z.record(z.string(), z.int()),
  expireAt: z.date(),
});
/** How many sessions were opened, or how many tokens were used. */
export type Usage = z.infer<typeof usageSchema>;

export const usageType = defineCollection({
  collection: 'usage',
  name: 'usage',
  version: 2,
  schema: usageSchema,
  paths: {
    usageCounts: 'usage',
    usage: (counted: string, chain: string | null, period: string) =>
      `usage/${counted}.${chain === null ? '' : `${chain}.`}${period}`,
    stageUsage: (sessionId: string, stageId: string) => `sessions/${sessionId}/usage/${stageId}`,
  },
  // Also below sessions, where the path decides, and where it is deleted with them.
  owner: 'counted',
  erase: COUNTS_ONLY,
});
