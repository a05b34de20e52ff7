// Time that passes only from event to event. All that waits in a run waits here, so the order of everything is decided
// by the seed alone.

/** Whose event it is. Events of a dead process never happen; those of a stalled one happen when it goes on. */
export interface Owner {
  alive: boolean;
  /** Epoch milliseconds. */
  stalledUntil: number;
}

export interface VirtualTime {
  /** Epoch milliseconds. */
  now(): number;
  /** How many events have happened. */
  events(): number;
  /** Calls `action` after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, action: () => void, owner?: Owner): () => void;
  /** Lets time pass until `done`, until nothing is left to happen, or until `limit` (epoch milliseconds). */
  pass(done: () => boolean, limit: number): Promise<void>;
}

interface Event {
  at: number;
  order: number;
  action: () => void;
  owner: Owner | undefined;
  cancelled: boolean;
}

export function createVirtualTime(start: number): VirtualTime {
  const queue: Event[] = [];
  let now = start;
  let order = 0;
  let events = 0;

  const insert = (event: Event): void => {
    let low = 0;
    let high = queue.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = queue[middle];
      if (
        other !== undefined &&
        (other.at < event.at || (other.at === event.at && other.order < event.order))
      ) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    queue.splice(low, 0, event);
  };

  return {
    now: () => now,
    events: () => events,
    after(ms, action, owner) {
      const event = { at: now + Math.max(0, ms), order: order++, action, owner, cancelled: false };
      insert(event);
      return () => {
        event.cancelled = true;
      };
    },
    async pass(done, limit) {
      while (!done()) {
        const event = queue.shift();
        if (event === undefined) return;
        if (event.cancelled || event.owner?.alive === false) continue;
        if (event.at > limit) return;
        if (event.owner !== undefined && event.owner.stalledUntil > event.at) {
          insert({ ...event, at: event.owner.stalledUntil, order: order++ });
          continue;
        }
        now = event.at;
        events++;
        event.action();
        // Whatever follows from it without waiting has happened when the next macrotask runs.
        await new Promise(setImmediate);
      }
    },
  };
}
