// The only source of randomness in a run: the same seed gives the same numbers in the same order.

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';

/** A seeded random generator. */
export interface Random {
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** True with probability `p`. No number is drawn for 0. */
  chance(p: number): boolean;
  /** One of the items. */
  pick<T>(items: readonly [T, ...T[]]): T;
}

/** A generator that is determined by `seed`. */
export function createRandom(seed: number): Random {
  // The generator of this package whose first numbers differ enough between neighbouring seeds.
  const generator = mersenne(seed);
  const int = (min: number, max: number) => uniformInt(generator, min, max);
  return {
    int,
    chance: (p) => p > 0 && int(0, 999_999) < p * 1_000_000,
    pick: (items) => items[int(0, items.length - 1)] ?? items[0],
  };
}
