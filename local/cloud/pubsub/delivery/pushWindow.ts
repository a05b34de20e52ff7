// How many push requests are under way at once. It begins small, grows with every ack and halves with every failure:
// https://cloud.google.com/pubsub/docs/push#delivery_rate

/** "A small single-digit window". */
const FIRST_SIZE = 3;
/**
 * A request that is older does not count in the window: an endpoint that works on a message for minutes gets others
 * meanwhile. Production, too, tells fast endpoints from slow ones at 1 s.
 */
export const SLOW_AFTER_MS = 1000;
/** Of one subscription, slow ones included. Production allows 3000; here all come from one process. */
const MAX_OUTSTANDING = 1000;

export interface PushWindow {
  /** How many requests may begin now. */
  room(): number;
  begin(key: string): void;
  /** A request has been under way for `SLOW_AFTER_MS`. Whoever keeps the time says so: two clocks could differ. */
  slow(key: string): void;
  end(key: string, outcome: 'acked' | 'failed'): void;
}

export function createPushWindow(): PushWindow {
  const underWay = new Set<string>();
  const fast = new Set<string>();
  let size = FIRST_SIZE;

  return {
    room: () => Math.max(0, Math.min(size - fast.size, MAX_OUTSTANDING - underWay.size)),
    begin(key) {
      underWay.add(key);
      fast.add(key);
    },
    slow: (key) => void fast.delete(key),
    end(key, outcome) {
      underWay.delete(key);
      fast.delete(key);
      size = outcome === 'acked' ? Math.min(MAX_OUTSTANDING, size + 1) : Math.max(1, Math.floor(size / 2));
    },
  };
}
