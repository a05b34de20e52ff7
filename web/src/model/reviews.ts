// How people rated analyses, and who works on sessions, in words and by chain.

import type { SessionReviews, SessionWork } from '../../../shared/lists/apiTypes.ts';

/** The number of each rating. */
export type Ratings = Pick<SessionReviews, 'right' | 'partly' | 'wrong'>;

/** Whether a person rated a session; others are listed for their outcome. */
export const isReviewed = ({ right, partly, wrong }: Ratings): boolean => right + partly + wrong > 0;

/** The ratings of a session in a few words: "reviewed: right", "reviews differ: 1 right, 1 wrong". */
export function reviewWords(ratings: Ratings): string {
  const given = (['right', 'partly', 'wrong'] as const).filter((name) => ratings[name] > 0);
  const [only = 'right'] = given;
  if (given.length > 1)
    return `reviews differ: ${given.map((name) => `${ratings[name]} ${name}`).join(', ')}`;
  return `reviewed: ${only === 'partly' ? 'partly right' : only}`;
}

/** The sum of the ratings of each chain; sessions whose chain cannot be read have the chain ''. */
export function ratingsByChain(reviews: readonly SessionReviews[]): ReadonlyMap<string, Ratings> {
  const sums = new Map<string, Ratings>();
  for (const { chain, right, partly, wrong } of reviews.filter(isReviewed)) {
    const sum = sums.get(chain ?? '') ?? { right: 0, partly: 0, wrong: 0 };
    sums.set(chain ?? '', {
      right: sum.right + right,
      partly: sum.partly + partly,
      wrong: sum.wrong + wrong,
    });
  }
  return sums;
}

/** Who works on a session, in a few words: "kim works on it", "resolved by kim". */
export function workWords({ claimedBy, resolvedBy }: SessionWork): string {
  return claimedBy === null ? `resolved by ${resolvedBy ?? 'a person'}` : `${claimedBy} works on it`;
}
