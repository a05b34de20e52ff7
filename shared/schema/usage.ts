// usage/{what}.{period} and sessions/{sessionId}/usage/{stageId}: how much was used up, and how much is reserved. Written by
// increments alone, so that any number of processes may count at the same time.

import * as z from 'zod';
import type { Upcaster } from './documentType.ts';

/** A count as it is stored. */
export const usageSchema = z.strictObject({
  count: z.int().nonnegative(),
  /**
   * Tokens that are reserved for calls which run, by the window of time in which they were reserved. A process that dies
   * leaves its own behind: windows that are over do not count.
   */
  reserved: z.record(z.string(), z.int()),
  expireAt: z.date(),
});
/** How many sessions were opened, or how many tokens were used. */
export type Usage = z.infer<typeof usageSchema>;

/** Upcasters of older counts, by version. */
export const usageUpcasters: Record<number, Upcaster> = {
  // Version 1 had no reservations. Its code may count in a newer document, whose reservations stay then.
  1: (usage) => ({ reserved: {}, ...usage }),
};
