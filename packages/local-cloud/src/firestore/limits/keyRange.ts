// A range of keys: a root collection with all that is below it, because such documents are stored side by
// side. "Start with a maximum of 500 operations per second to a new collection and then increase traffic by
// 50% every 5 minutes": https://firebase.google.com/docs/firestore/best-practices#ramping_up_traffic

import type { Rate } from './loads.ts';

const FIRST_PER_SECOND = 500;
const GROWTH = 1.5;
const PERIOD_MS = 300_000;
/** Ours: a range grows after five minutes of at least half its rate, and shrinks after any others. */
const USED_SHARE = 0.5;

/** The rate of a range, and its use. */
interface KeyRange {
  perSecond: number;
  /** The start of the current five minutes. */
  sinceMs: number;
  /** Operations in the current five minutes. */
  operations: number;
}

/** A range that has had no traffic. */
export const createKeyRange = (nowMs: number): KeyRange => ({
  perSecond: FIRST_PER_SECOND,
  sinceMs: nowMs,
  operations: 0,
});

/** The rate of a range after more operations. A second's worth passes at once. */
export function heatRange(range: KeyRange, nowMs: number, operations: number): Rate {
  const periods = Math.floor((nowMs - range.sinceMs) / PERIOD_MS);
  range.sinceMs += periods * PERIOD_MS;
  for (let period = 0; period < periods; period++) {
    const isUsed = range.operations >= (range.perSecond * USED_SHARE * PERIOD_MS) / 1000;
    range.perSecond = Math.max(FIRST_PER_SECOND, range.perSecond * (isUsed ? GROWTH : 1 / GROWTH));
    range.operations = 0;
  }
  range.operations += operations;
  return { perSecond: range.perSecond, burst: range.perSecond };
}
