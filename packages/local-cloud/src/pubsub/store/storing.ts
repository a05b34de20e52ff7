// Retries writes without a client that could retry them: deliveries, and answers to pushes.

import { StatusError, status } from '../../protocol/status.ts';
import type { Clock } from './clock.ts';

/** Between two attempts while the disk is full. */
const RETRY_MS = 5_000;

/** Writes that survive a full disk. */
export interface Storing {
  /**
   * Runs a write. When the disk is full, it is retried until there is space. A pending write with the same
   * name is replaced.
   */
  run(name: string, work: () => void): void;
  /** Drops pending writes. */
  close(): void;
}

/** @param clock for the retries. */
export function createStoring(clock: Clock): Storing {
  const pending = new Map<string, () => void>();
  let cancel = () => {};

  const run = (name: string, work: () => void): void => {
    pending.delete(name);
    try {
      work();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      // The database is damaged: the process ends, and the delivery is still in its file.
      if (error.code === status.DATA_LOSS) return;
      if (error.code !== status.RESOURCE_EXHAUSTED) throw error;
      if (pending.size === 0) {
        console.error(error.details);
        cancel = clock.after(RETRY_MS, runAll);
      }
      pending.set(name, work);
    }
  };

  const runAll = (): void => {
    const all = [...pending];
    pending.clear();
    for (const [name, work] of all) run(name, work);
  };

  return {
    run,
    close() {
      cancel();
      pending.clear();
    },
  };
}
