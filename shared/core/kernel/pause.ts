// Waiting inside a function, for a time that tests and simulation control.

import type { Clock } from './deps.ts';

/** Waits `ms` milliseconds, or until the signal aborts; the caller checks the signal. */
export function pauseFor(ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const cancel = clock.after(ms, endPause);
    function endPause(): void {
      cancel();
      signal.removeEventListener('abort', endPause);
      resolve();
    }
    signal.addEventListener('abort', endPause);
  });
}
