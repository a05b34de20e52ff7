import { expect, it } from 'vitest';
import { ratingsByChain, reviewWords, workWords } from './reviews.ts';

it('ratings have words, also when reviews differ', () => {
  expect(reviewWords({ right: 2, partly: 0, wrong: 0 })).toBe('reviewed: right');
  expect(reviewWords({ right: 0, partly: 1, wrong: 0 })).toBe('reviewed: partly right');
  expect(reviewWords({ right: 1, partly: 0, wrong: 2 })).toBe('reviews differ: 1 right, 2 wrong');
});

it('ratings are summed by chain', () => {
  const review = (chain: string | null, right: number, wrong: number, partly = 0) => ({
    chain,
    models: [],
    verdict: null,
    ...{ right, partly, wrong, sessions: right + partly + wrong, disputed: 0 },
    ...{ share: null, outcomes: {}, held: null },
  });
  const sums = ratingsByChain([
    review('a', 1, 0, 2),
    review('b', 0, 1),
    review('a', 2, 1, 1),
    review(null, 1, 0),
    review('unrated', 0, 0),
  ]);
  expect([...sums]).toEqual([
    ['a', { right: 3, partly: 3, wrong: 1 }],
    ['b', { right: 0, partly: 0, wrong: 1 }],
    ['', { right: 1, partly: 0, wrong: 0 }],
  ]);
});

it('the work on a session names who claimed or resolved it', () => {
  const sessionId = 'a';
  expect(workWords({ sessionId, claimedBy: 'kim', resolvedBy: null })).toBe('kim works on it');
  expect(workWords({ sessionId, claimedBy: null, resolvedBy: 'ada' })).toBe('resolved by ada');
  expect(workWords({ sessionId, claimedBy: null, resolvedBy: null })).toBe('resolved by a person');
});
