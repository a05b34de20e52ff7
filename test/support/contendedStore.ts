// A store in which another writer is faster: for tests of what a lost race leads to.

import { isDeepStrictEqual } from 'node:util';
import type { Store, Write } from '../../shared/core/contract/store.ts';
import type { MemoryStore } from '../../shared/store/memory/memoryStore.ts';

/** Which commits lose. */
interface Contention {
  /** The document that another writer changes. */
  path: string;
  /** How many commits that replace it lose. */
  times: number;
  /** How many such commits come first and win. */
  after: number;
}

/** A process's store. Another writer rewrites a document right before its replacement. */
export function contendedStore(memory: MemoryStore, { path, times, after }: Contention): Store {
  let commits = 0;
  return {
    ...memory,
    commit(writes) {
      const replaces = writes.some((write) => write.op === 'replace' && write.path === path);
      if (replaces && ++commits > after && commits <= after + times)
        memory.rewrite(path, (data) => ({ ...data }));
      return memory.commit(writes);
    },
  };
}

/** The store of a process whose client repeats its first commit, and is then refused. */
export function repeatingStore(memory: MemoryStore): Store {
  let repeated: Write[] | undefined;
  return {
    ...memory,
    async commit(writes) {
      const result = await memory.commit(writes);
      if (repeated !== undefined && !isDeepStrictEqual(repeated, writes)) return result;
      repeated = writes;
      return result.ok ? { ok: false, reason: 'changed' } : result;
    },
  };
}
