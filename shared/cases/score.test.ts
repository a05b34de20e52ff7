import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wilson } from '../evidence/calibration.ts';
import { pairedDifference, type Score, summarizeScores } from './score.ts';

const run = (change: Partial<Score>): Score => ({
  model: 'a',
  case: 'one',
  arm: 'base',
  repeat: 1,
  verdict: 'likely',
  causes: [],
  right: true,
  grounded: true,
  coverage: 1,
  precision: 1,
  falseConfirmed: false,
  abstained: false,
  calls: 1,
  unrecorded: 0,
  tokens: 1,
  usd: 0,
  seconds: 1,
  evidence: [],
  analysis: '',
  ...change,
});

it('the ends of an interval of a share are the shares that a score test just does not reject', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, p) => {
      const { value, low, high } = wilson(p * n, n);
      expect(value).toBeCloseTo(p, 9);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      for (const end of [low, high]) {
        const distance = (p - end) ** 2 * n;
        expect(distance).toBeCloseTo(1.959964 ** 2 * end * (1 - end), 6);
      }
      expect(p - low).toBeGreaterThan(-1e-9);
      expect(high - p).toBeGreaterThan(-1e-9);
    }),
  );
});

it.each([
  [0, 12, 0, 0.2425],
  [12, 12, 0.7575, 1],
  [1, 1, 0.2065, 1],
  [0, 0, 0, 1],
])('%i of %i cases have the interval of the tables, %f to %f', (hits, n, low, high) => {
  const found = wilson(hits, n);
  expect(found.low).toBeCloseTo(low, 4);
  expect(found.high).toBeCloseTo(high, 4);
});

/** All means of resamples, each as probable as the others: the bootstrap without chance. */
function allMeans(values: readonly number[]): number[] {
  let sums = [0];
  for (const _ of values) sums = sums.flatMap((sum) => values.map((value) => sum + value));
  return sums.map((sum) => sum / values.length).sort((a, b) => a - b);
}

it('the ends of a difference are quantiles of all resamples of the cases', () => {
  const points = fc.constantFrom(-2, -1, 0, 1 / 3, 0.5, 1);
  fc.assert(
    fc.property(fc.array(fc.tuple(points, points), { minLength: 2, maxLength: 5 }), (pairs) => {
      const [one, other] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
      const { value, low, high } = pairedDifference(one, other);
      const differences = pairs.map(([a, b]) => a - b);
      expect(value).toBeCloseTo(differences.reduce((sum, each) => sum + each, 0) / pairs.length, 9);
      const means = allMeans(differences);
      const share = (isCounted: (mean: number) => boolean) => means.filter(isCounted).length / means.length;
      // Five standard deviations of a share of 2,000 resamples.
      const slack = 0.0175;
      const tiny = 1e-9;
      expect(share((mean) => mean < low - tiny)).toBeLessThanOrEqual(0.025 + slack);
      expect(share((mean) => mean <= low + tiny)).toBeGreaterThanOrEqual(0.025 - slack);
      expect(share((mean) => mean > high + tiny)).toBeLessThanOrEqual(0.025 + slack);
      expect(share((mean) => mean >= high - tiny)).toBeGreaterThanOrEqual(0.025 - slack);
    }),
    { numRuns: 60 },
  );
});

it('ties and equal differences have an interval without width, and the same values the same interval', () => {
  expect(pairedDifference([1, 0, 1], [1, 0, 1])).toEqual({ value: 0, low: 0, high: 0 });
  expect(pairedDifference([1, 1, 1], [0, 0, 0])).toEqual({ value: 1, low: 1, high: 1 });
  const mixed = () => pairedDifference([1, 0, 1, 1], [0, 1, 0, 1]);
  expect(mixed()).toEqual(mixed());
});

it('repeats are averaged within their case, and cases that only one model has been scored in are in no difference', () => {
  const scores = [
    run({ precision: 1 }),
    run({ precision: 0, right: false, repeat: 2 }),
    run({ case: 'two' }),
    run({ case: 'two', precision: 0.5, repeat: 2 }),
    run({ case: 'three', calls: 10, unrecorded: 3, precision: 0 }),
    run({ model: 'b', right: false }),
    run({ model: 'b', case: 'two', right: false, falseConfirmed: true }),
    run({ model: 'b', case: 'three' }),
  ];
  const { rows, comparisons } = summarizeScores(scores);
  // 0.5 for the first case and 0.75 for the second one; too many calls of the third were not recorded.
  expect(rows[0]).toMatchObject({
    cases: 2,
    notScored: 1,
    score: 0.625,
    precision: 0.625,
    right: { value: 0.75 },
  });
  // 0.5 - 0 and 0.75 - (-2).
  expect(comparisons).toMatchObject([
    { one: 'a', other: 'b', cases: 2, score: { value: 1.625, low: 0.5, high: 2.75 } },
  ]);
});

it('one case gives no interval, and failures in all cases give the share 0', () => {
  const failed = ['a', 'b'].map((model) => run({ model, right: false, grounded: false, coverage: null }));
  const { rows, comparisons } = summarizeScores(failed);
  expect(comparisons).toEqual([{ one: 'a', other: 'b', cases: 1, score: null }]);
  expect(rows[0]).toMatchObject({ right: { value: 0, low: 0 }, score: 0, coverage: null });
});
