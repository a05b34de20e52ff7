// Intervals of shares and of differences between models. Pure.

import type { Interval } from '../evidence/calibration.ts';

/** Resamples of a bootstrap. */
const RESAMPLES = 2_000;

/** The mean difference of paired values, with a bootstrap over the pairs. The same for the same values. */
export function pairedDifference(one: readonly number[], other: readonly number[]): Interval {
  const differences = one.map((value, index) => value - (other[index] ?? 0));
  const n = differences.length;
  if (n === 0) return { value: 0, low: 0, high: 0 };
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const random = lehmerGenerator(n);
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(differences.map(() => differences[Math.floor(random() * n)] ?? 0)),
  ).sort((a, b) => a - b);
  const at = (share: number) => means[Math.floor(share * (RESAMPLES - 1))] ?? 0;
  return { value: mean(differences), low: at(0.025), high: at(0.975) };
}

/** A small generator: a report must come out the same twice. */
function lehmerGenerator(seed: number): () => number {
  let state = (seed * 48_271 + 11) % 2_147_483_647;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
