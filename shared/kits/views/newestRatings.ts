// The ratings of a session, from the stored entries of its work.

import type { RawDocument } from '../../contract/rawDocuments.ts';
import { numberAt, textAt } from './fieldAt.ts';

/** The newest rating of each person. @param entries with their fields `by`, `number` and `review.rating`. */
export function listNewestRatings(entries: readonly RawDocument[]): string[] {
  const sorted = entries.toSorted(
    (a, b) => (numberAt(a.fields, 'number') ?? 0) - (numberAt(b.fields, 'number') ?? 0),
  );
  const ratings = sorted.flatMap(({ fields }): [string, string][] => {
    const [by, rating] = [textAt(fields, 'by'), textAt(fields, 'review', 'rating')];
    return by === null || rating === null ? [] : [[by, rating]];
  });
  return [...new Map(ratings).values()];
}
