// Time, which tests replace.

/** Where services take time from. */
export interface Clock {
  /** The current time, which stamps messages and decides deadlines. */
  now(): Date;
  /** Calls `action` once after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, action: () => void): () => void;
}

/** The clock of this machine. Its timers keep no process running. */
export const systemClock: Clock = {
  now: () => new Date(),
  after(ms, action) {
    // setTimeout fires immediately above 2^31-1 ms (24 days), which is longer than any limit here.
    const timer = setTimeout(action, Math.min(ms, 2 ** 31 - 1)).unref();
    return () => clearTimeout(timer);
  },
};
