// Limits how much a process works on at the same time: work over the limit waits.

/** Lets work run while the sizes of all that runs stay within a limit. */
interface ConcurrencyLimit {
  /** Runs `work` as soon as there is room for `size`. Work that is larger than the limit runs on its own. */
  run<T>(size: number, work: () => Promise<T>): Promise<T>;
}

/** Limits work to sizes up to `limit` at the same time. Waiting work starts in the order in which it came. */
export function createConcurrencyLimit(limit: number): ConcurrencyLimit {
  const waiting: { size: number; start: () => void }[] = [];
  let running = 0;
  const hasRoom = (size: number): boolean => running === 0 || running + size <= limit;
  const startWaiting = (): void => {
    for (let next = waiting[0]; next !== undefined && hasRoom(next.size); next = waiting[0]) {
      waiting.shift();
      running += next.size;
      next.start();
    }
  };
  return {
    async run(size, work) {
      await new Promise<void>((resolve) => {
        waiting.push({ size, start: resolve });
        startWaiting();
      });
      try {
        return await work();
      } finally {
        running -= size;
        startWaiting();
      }
    },
  };
}
