// Durations of the protocol: `{ seconds: '10', nanos: 500000000 }`.

import { invalid } from './errors.ts';

/** A duration in a decoded message. An absent number is 0. */
export interface Duration {
  /** Whole seconds; the client sends text. */
  seconds?: string | number | undefined;
  /** Nanoseconds beyond the seconds. */
  nanos?: number | undefined;
}

/** A duration in milliseconds, with fractions. */
export const durationMs = ({ seconds = 0, nanos = 0 }: Duration): number =>
  Number(seconds) * 1000 + nanos / 1e6;

/** A duration of whole seconds. */
export const ofSeconds = (seconds: number): Duration => ({ seconds: String(seconds), nanos: 0 });

/**
 * Checks the range of a duration.
 * @param name of the field, for the error.
 * @param limits in seconds, inclusive.
 * @throws StatusError INVALID_ARGUMENT
 */
export function checkDuration(name: string, duration: Duration, limits: { min: number; max: number }): void {
  const ms = durationMs(duration);
  if (ms < limits.min * 1000 || ms > limits.max * 1000) throw invalid(`${name} out of bounds`);
}
