// counters/sweep: how far the sweep has come, so that the next run begins there.

import * as z from 'zod';

/** The mark of the sweep as it is stored. */
export const sweepMarkSchema = z.strictObject({
  /** When the last complete run began. Everything that was written before it was looked at. */
  completedAt: z.date(),
  /** When the last run began that listed all open sessions. */
  listedAt: z.date(),
  expireAt: z.date(),
});
/** How far the sweep has come. */
export type SweepMark = z.infer<typeof sweepMarkSchema>;
