// usage/{what}.{period} and sessions/{sessionId}/usage/{stageId}: how much was used up. Written by increments alone, so
// that any number of processes may count at the same time.

import * as z from 'zod';

/** A count as it is stored. */
export const usageSchema = z.strictObject({
  count: z.int().nonnegative(),
  expireAt: z.date(),
});
/** How many sessions were opened, or how many tokens were used. */
export type Usage = z.infer<typeof usageSchema>;
