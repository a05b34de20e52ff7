// Times of commits and reads, in microseconds since 1970, the precision of Firestore.

import { invalid } from './errors.ts';
import type { Timestamp } from './value.ts';

/** Microseconds since 1970. */
export type Micros = number;

/** A timestamp of the protocol. */
export const toTimestamp = (micros: Micros): Timestamp => ({
  seconds: String(Math.floor(micros / 1e6)),
  nanos: (micros % 1e6) * 1000,
});

/** Truncates to microseconds. */
export const toMicros = ({ seconds, nanos }: Timestamp): Micros =>
  Number(seconds ?? 0) * 1e6 + Math.floor((nanos ?? 0) / 1000);

/**
 * A time of commits that a request names.
 * @throws StatusError INVALID_ARGUMENT when it is before 1970 or finer than a microsecond: no commit had such
 * a time.
 */
export function requestedMicros(time: Timestamp): Micros {
  if ((time.nanos ?? 0) % 1000 !== 0) throw invalid('timestamp cannot have more than microseconds precision');
  const micros = toMicros(time);
  if (micros < 0) throw invalid('Only timestamps past epoch are supported.');
  return micros;
}

/** Year 1 and year 9999, in seconds since 1970. */
const MIN_SECONDS = -62_135_596_800;
const MAX_SECONDS = 253_402_300_799;

/**
 * A timestamp as it is stored: to the microsecond.
 * @throws StatusError INVALID_ARGUMENT before year 1 or after year 9999.
 */
export function storedTimestamp({ seconds = '0', nanos = 0 }: Timestamp): Timestamp {
  if (nanos < 0 || nanos > 999_999_999) throw invalid('Timestamp nanos exceeds limit for field.');
  if (Number(seconds) < MIN_SECONDS || Number(seconds) > MAX_SECONDS) {
    throw invalid('Timestamp seconds exceeds limit for field.');
  }
  return { seconds, nanos: nanos - (nanos % 1000) };
}

/**
 * A clock that never gives the same time twice and never goes back.
 * @param last the latest time that was ever given.
 */
export function createClock(last: Micros): () => Micros {
  let latest = last;
  return () => {
    latest = Math.max(latest + 1, Date.now() * 1000);
    return latest;
  };
}
