// Durations of the protocol: `{ seconds: '10', nanos: 500000000 }`.

import { invalid } from './errors.ts';

/** As gRPC hands it over; numbers that are 0 may be absent. */
export interface Duration {
  seconds?: string | number | undefined;
  nanos?: number | undefined;
}

/** Milliseconds, with fractions. */
export const durationMs = ({ seconds = 0, nanos = 0 }: Duration): number =>
  Number(seconds) * 1000 + nanos / 1e6;

export const ofSeconds = (seconds: number): Duration => ({ seconds: String(seconds), nanos: 0 });

/**
 * @param limits in seconds, both included.
 * @throws StatusError INVALID_ARGUMENT
 */
export function checkDuration(name: string, duration: Duration, limits: { min: number; max: number }): void {
  const ms = durationMs(duration);
  if (ms < limits.min * 1000 || ms > limits.max * 1000) throw invalid(`${name} out of bounds`);
}
