// Waiting inside a function, for a time that tests and simulation control.

import type { Clock } from './deps.ts';

/** Waits `ms` milliseconds, or until the signal aborts; the caller checks the signal. */
export function pause(ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const cancel = clock.after(ms, done);
    function done(): void {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
