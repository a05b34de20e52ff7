// Virtual time, which advances from event to event. Everything that waits in a run waits here, so that the
// seed alone determines the order of events.

/** The owner of events. A dead owner's are dropped; a stalled one's wait until it continues. */
export interface Owner {
  alive: boolean;
  /** Epoch milliseconds. */
  stalledUntil: number;
}

/** A clock and its event queue. */
export interface VirtualTime {
  /** Epoch milliseconds. */
  now(): number;
  /** The number of events so far. */
  events(): number;
  /** Calls `action` after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, action: () => void, owner?: Owner): () => void;
  /** Lets no time pass until `work` of the real world has ended. @returns `work`. */
  hold<T>(work: Promise<T>): Promise<T>;
  /** Runs events until `done` returns true, no event is left, or `limit` (epoch milliseconds) is reached. */
  runUntil(done: () => boolean, limit: number): Promise<void>;
}

interface Event {
  at: number;
  order: number;
  action: () => void;
  owner: Owner | undefined;
  cancelled: boolean;
}

/** Virtual time that starts at `start` (epoch milliseconds). */
export function createVirtualTime(start: number): VirtualTime {
  const queue: Event[] = [];
  const held = new Set<Promise<unknown>>();
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
    hold(work) {
      held.add(work);
      const release = () => void held.delete(work);
      work.then(release, release);
      return work;
    },
    async runUntil(done, limit) {
      while (!done()) {
        const event = queue.shift();
        if (event === undefined) return;
        if (event.cancelled || event.owner?.alive === false) continue;
        if (event.at > limit) {
          queue.unshift(event);
          return;
        }
        if (event.owner !== undefined && event.owner.stalledUntil > event.at) {
          insert({ ...event, at: event.owner.stalledUntil, order: order++ });
          continue;
        }
        now = event.at;
        events++;
        event.action();
        // All promise reactions of the event have run when the next macrotask starts.
        await new Promise(setImmediate);
        while (held.size > 0) {
          await Promise.allSettled(held);
          await new Promise(setImmediate);
        }
      }
    },
  };
}
