// What has to be stored while no client waits that could try again: deliveries, and the answers to pushes.

import type { Clock } from '../../../../shared/runtime/kernel/deps.ts';
import { StatusError, status } from '../../protocol/status.ts';

/** Between two tries. Somebody has to free space on the disk meanwhile. */
const RETRY_MS = 5_000;

export interface Storing {
  /**
   * Runs what stores something. When the disk is full it is run again later, until there is space; what waits under the
   * same name is replaced.
   */
  run(name: string, work: () => void): void;
  /** Forgets what waits. */
  close(): void;
}

export function createStoring(clock: Clock): Storing {
  const waiting = new Map<string, () => void>();
  let cancel = () => {};

  const run = (name: string, work: () => void): void => {
    waiting.delete(name);
    try {
      work();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      // The database is damaged: the process ends, and its file keeps what was to be done.
      if (error.code === status.DATA_LOSS) return;
      if (error.code !== status.RESOURCE_EXHAUSTED) throw error;
      if (waiting.size === 0) {
        console.error(error.details);
        cancel = clock.after(RETRY_MS, runAll);
      }
      waiting.set(name, work);
    }
  };

  const runAll = (): void => {
    const all = [...waiting];
    waiting.clear();
    for (const [name, work] of all) run(name, work);
  };

  return {
    run,
    close() {
      cancel();
      waiting.clear();
    },
  };
}
