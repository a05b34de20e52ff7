// The state of the work on a session: derived from its entries. Pure.

import * as z from 'zod';
import { reviewSchema } from '../../search/review.ts';
import type { WorkEntry } from './work.ts';

/** Who works on a session, whether it is solved, and how people rate its analysis. */
export const workStateSchema = z.strictObject({
  /** Null if it was never claimed, that person released it, or it is resolved. */
  claimedBy: z.string().nullable().describe('Who works on it'),
  /** Null before, and after a later claim. */
  resolved: z.strictObject({ by: z.string(), at: z.date() }).nullable(),
  reviews: z
    .array(z.strictObject({ by: z.string(), at: z.date(), review: reviewSchema }))
    .describe('The newest of each person'),
  isDisputed: z.boolean().describe('Whether reviews have different ratings'),
});
/** The state of the work on a session. */
export type WorkState = z.infer<typeof workStateSchema>;

type StateEntry = Pick<WorkEntry, 'number' | 'kind' | 'by' | 'createdAt' | 'review'>;

/** The state after all entries. @param entries in any order. */
export function workState(entries: readonly StateEntry[]): WorkState {
  const sorted = entries.toSorted((a, b) => a.number - b.number);
  let claimedBy: string | null = null;
  let resolved: WorkState['resolved'] = null;
  const reviews = new Map<string, WorkState['reviews'][number]>();
  for (const { kind, by, createdAt, review } of sorted) {
    if (kind === 'claim') [claimedBy, resolved] = [by, null];
    if (kind === 'release' && claimedBy === by) claimedBy = null;
    if (kind === 'resolve') [claimedBy, resolved] = [null, { by, at: createdAt }];
    if (review === null) continue;
    reviews.delete(by);
    reviews.set(by, { by, at: createdAt, review });
  }
  const newest = [...reviews.values()].reverse();
  const ratings = new Set(newest.map(({ review }) => review.rating));
  return { claimedBy, resolved, reviews: newest, isDisputed: ratings.size > 1 };
}
