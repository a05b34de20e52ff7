// Waits until a paused installation runs no iteration.

import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 2_000;

/** The state of an installation, as the store or the API returns it. */
interface DrainState {
  pause: object | null;
  /** Null without a pause. */
  running: number | null;
  isDrained: boolean;
}

/** How the wait is reported and ended. */
interface DrainOptions {
  /** Called with the number of iterations that run, when it changes. */
  onRunning: (running: number) => void;
  signal: AbortSignal;
  /** Default: 2 s. */
  pollMs?: number | undefined;
}

/**
 * Waits until no iteration runs. `read` is called again and again.
 * @throws Error when the pause ends before; the errors of `read`; the signal's reason.
 */
export async function waitUntilDrained(
  read: () => Promise<DrainState>,
  { onRunning, signal, pollMs = POLL_MS }: DrainOptions,
): Promise<void> {
  for (let shown: number | null = null; ; ) {
    signal.throwIfAborted();
    const { pause, running, isDrained } = await read();
    if (isDrained) return;
    if (pause === null) throw new Error('the pause ended before the last iterations finished');
    if (running !== shown && running !== null) onRunning(running);
    shown = running;
    // The error of an aborted sleep has the reason as its cause only.
    await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
