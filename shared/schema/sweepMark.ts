// counters/sweep: the progress of the sweep, from which the next run continues.

import * as z from 'zod';

/** The mark of the sweep as it is stored. */
export const sweepMarkSchema = z.strictObject({
  /** When the last complete run started. Everything that was written before it has been checked. */
  completedAt: z.date(),
  /** When the last run started that listed all open sessions. */
  listedAt: z.date(),
  expireAt: z.date(),
});
/** The progress of the sweep. */
export type SweepMark = z.infer<typeof sweepMarkSchema>;
