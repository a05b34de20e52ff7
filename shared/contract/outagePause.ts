// The pause between two calls of a model that does not answer: grows from call to call, with jitter. Pure.

const SHORTEST_MS = 10_000;
const LONGEST_MS = 300_000;

/**
 * The next pause in milliseconds: 10 s up to 20 s at first, doubled with each pause, 150 s up to 300 s in the end.
 * @param before number of pauses of this outage so far.
 * @param random 0 up to 1, for jitter.
 * @param askedMs the delay that the provider requests, in milliseconds: the minimum of the pause, plus at most a tenth.
 */
export function outagePauseMs(before: number, random: () => number, askedMs = 0): number {
  const least = Math.min(SHORTEST_MS * 2 ** Math.min(before, 30), LONGEST_MS / 2);
  return Math.round(Math.max(least * (1 + random()), askedMs * (1 + random() / 10)));
}
