// counters/sweep: the progress of the sweep, from which the next run continues.

import * as z from 'zod';
import { COUNTS_ONLY, defineCollection } from './defineCollection.ts';

/** The mark of the sweep as it is stored. */
const sweepMarkSchema = z.strictObject({
  /** When the last complete run started. Everything that was written before it has been checked. */
  completedAt: z.date(),
  /** When the last run started that listed all open sessions. */
  listedAt: z.date(),
  /** A listing that has not ended: when it started, and the last session of its last page. */
  listing: z.strictObject({ startedAt: z.date(), afterId: z.string().min(1) }).optional(),
  expireAt: z.date(),
});
/** The progress of the sweep. */
export type SweepMark = z.infer<typeof sweepMarkSchema>;

export const sweepMarkType = defineCollection({
  collection: 'counters',
  name: 'sweepMark',
  version: 2,
  oldest: 1,
  // Version 1 had no unfinished listing.
  upcast: (mark) => mark,
  schema: sweepMarkSchema,
  paths: { sweepMark: 'counters/sweep' },
  owner: 'operators',
  erase: COUNTS_ONLY,
});
