// The growing delay before something is tried again. Pure.

/** The first and the longest delay, in milliseconds. */
interface BackOff {
  firstMs: number;
  mostMs: number;
}

/**
 * The delay after some failures, in milliseconds: it doubles with each further one. @param failures from 1.
 */
export function backOffMs({ firstMs, mostMs }: BackOff, failures: number): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 30));
}

/** The least pause of a model; chance doubles it at most. */
const LEAST_PAUSE = { firstMs: 10_000, mostMs: 150_000 };

/**
 * The pause between two calls of a model that does not answer, in milliseconds: 10 s up to 20 s at first,
 * doubled with each pause, 150 s up to 300 s in the end.
 * @param before number of pauses of this outage so far.
 * @param random 0 up to 1, for jitter.
 * @param askedMs the delay that the provider requests, in milliseconds: the minimum of the pause, plus at
 * most a tenth.
 */
export function outagePauseMs(before: number, random: () => number, askedMs = 0): number {
  const least = backOffMs(LEAST_PAUSE, before + 1);
  return Math.round(Math.max(least * (1 + random()), askedMs * (1 + random() / 10)));
}
