// The state of the work on a session: derived from its entries. Pure.

import type { Review, WorkEntry } from '../../../schema/features/work.ts';

/** Who works on a session, whether it is solved, and how people rate its analysis. */
export interface WorkState {
  /** The person who claimed it last; null if it was never claimed, that person released it, or it is resolved. */
  claimedBy: string | null;
  /** When it was resolved, and by whom; null before, and after a later claim. */
  resolved: { by: string; at: Date } | null;
  /** The newest review of each person, the newest first. */
  reviews: { by: string; at: Date; review: Review }[];
  /** Whether reviews have different ratings. */
  isDisputed: boolean;
}

/** The parts of an entry that decide the state. */
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
