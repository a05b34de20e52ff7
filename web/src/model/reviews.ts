// How people rated analyses, and who works on sessions, in words and by chain.

import type { CalibrationRow } from '../../../shared/evidence/calibration.ts';
import type { SessionReviews, SessionWork } from '../../../shared/lists/apiTypes.ts';

/** The number of each rating. */
export type Ratings = Pick<SessionReviews, 'right' | 'partly' | 'wrong'>;

/** The ratings of a session in a few words: "reviewed: right", "reviews differ: 1 right, 1 wrong". */
export function reviewWords(ratings: Ratings): string {
  const given = (['right', 'partly', 'wrong'] as const).filter((name) => ratings[name] > 0);
  const [only = 'right'] = given;
  if (given.length > 1)
    return `reviews differ: ${given.map((name) => `${ratings[name]} ${name}`).join(', ')}`;
  return `reviewed: ${only === 'partly' ? 'partly right' : only}`;
}

/** The rated sessions of each chain; those whose chain cannot be read have the chain ''. */
export function ratingsByChain(rows: readonly CalibrationRow[]): ReadonlyMap<string, Ratings> {
  const sums = new Map<string, Ratings>();
  for (const { chain, right, partly, wrong, sessions } of rows) {
    if (sessions === 0) continue;
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
