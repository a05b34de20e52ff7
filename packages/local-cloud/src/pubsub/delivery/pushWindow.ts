// Limits outstanding push requests. The window starts small, grows with every ack and halves with every
// failure: https://cloud.google.com/pubsub/docs/push#delivery_rate

/** "A small single-digit window". */
const FIRST_SIZE = 3;
/**
 * Per subscription, including slow requests. Production's window grows to 3000 before it grows more slowly;
 * here one process sends all.
 */
const MAX_OUTSTANDING = 1000;

/** The outstanding requests of one subscription, by key. */
interface PushWindow {
  /** How many requests can start now. */
  capacity(): number;
  /** Adds a request to the window. */
  start(key: string): void;
  /** Marks a request that is older than `SLOW_AFTER_MS`. The caller measures the time. */
  markSlow(key: string): void;
  /** Removes a request and resizes the window. */
  end(key: string, outcome: 'acked' | 'failed'): void;
}

/** An empty window of the first size. */
export function createPushWindow(maxOutstanding = MAX_OUTSTANDING): PushWindow {
  const outstanding = new Set<string>();
  const fast = new Set<string>();
  let size = FIRST_SIZE;

  return {
    capacity: () => Math.max(0, Math.min(size - fast.size, maxOutstanding - outstanding.size)),
    start(key) {
      outstanding.add(key);
      fast.add(key);
    },
    markSlow: (key) => void fast.delete(key),
    end(key, outcome) {
      outstanding.delete(key);
      fast.delete(key);
      size = outcome === 'acked' ? Math.min(maxOutstanding, size + 1) : Math.max(1, Math.floor(size / 2));
    },
  };
}
