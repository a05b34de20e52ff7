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
  room(nowMs: number): number;
  begin(key: string, nowMs: number): void;
  end(key: string, outcome: 'acked' | 'failed'): void;
}

export function createPushWindow(): PushWindow {
  /** When the requests under way began. They stand in that order. */
  const begun = new Map<string, number>();
  let size = FIRST_SIZE;

  const countFast = (nowMs: number): number => {
    let slow = 0;
    for (const beganMs of begun.values()) {
      if (nowMs - beganMs < SLOW_AFTER_MS) break;
      slow += 1;
    }
    return begun.size - slow;
  };

  return {
    room: (nowMs) => Math.max(0, Math.min(size - countFast(nowMs), MAX_OUTSTANDING - begun.size)),
    begin: (key, nowMs) => void begun.set(key, nowMs),
    end(key, outcome) {
      begun.delete(key);
      size = outcome === 'acked' ? Math.min(MAX_OUTSTANDING, size + 1) : Math.max(1, Math.floor(size / 2));
    },
  };
}
