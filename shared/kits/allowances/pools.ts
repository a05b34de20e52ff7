// The units that a process holds of limits, by document. A store stands for its process.

import type { Store } from '../../core/contract/store.ts';
import type { Clock, RuntimeDeps } from '../../core/kernel/deps.ts';
import type { Allowance } from './allowance.ts';
import type { Wish } from './decideAllowance.ts';

/** The dependencies of taking units. */
export type AllowanceDeps = Pick<RuntimeDeps, 'store' | 'clock'>;

/** A request for units of a window. */
export interface UnitRequest extends Wish {
  /** A time in the window. */
  at: Date;
  /** Whether the caller can ask again later: near the end of a limit it waits for the turn of its process. */
  isPatient?: boolean;
}

/** Granted units. */
export interface Grant {
  /** Distinguishes it from a refusal. */
  kind: 'granted';
  /** Units that were used before, as far as the process knows. */
  used: number;
  /** Units that were held before. */
  held: number;
  /** Replaces the units by the used ones. Resolves when nothing is being written. Called once. */
  settle(used: number): Promise<void>;
}

/** The use of a window that has no room. */
export interface AllowanceRefusal {
  /** Distinguishes it from a grant. */
  kind: 'refused';
  /** Used units. */
  used: number;
  /** Units that are held, and can come back. */
  held: number;
}

/**
 * The units that a process holds of a window. `held` is `left`, `running` and `spent`, unless its slot is
 * over.
 */
export interface Pool {
  allowance: Allowance;
  path: string;
  /** A time in the window. */
  at: Date;
  store: Store;
  clock: Clock;
  /** The slot in which the document counts `held`; -1 if it does not. */
  slot: number;
  held: number;
  /** Units for requests that follow. */
  left: number;
  /** Units of granted requests. */
  running: number;
  /** Used units that are not written. */
  spent: number;
  /** Used and held units of all after the last write. */
  level: number;
  /** The last granted wish. */
  last: Wish;
  /** When a request was granted last, in epoch milliseconds. */
  usedAt: number;
  /** The slot in which the process is counted. */
  seenIn: number;
  /** Its number among the processes; 0 before it has written. */
  ordinal: number;
  /** The least number of processes that it expects. */
  crowd: number;
  /** When its use is written again, in epoch milliseconds. */
  due: number;
  /** When requests near the end of the limit are written again. */
  retryAt: number;
  /** The use by others, and when it was read. */
  known?: { used: number; held: number; instances: number; at: number } | undefined;
  requests: (UnitRequest & {
    resolve: (outcome: Grant | AllowanceRefusal) => void;
    reject: (error: unknown) => void;
  })[];
  writing?: Promise<void> | undefined;
  stopTimer?: (() => void) | undefined;
}

/** A process has few limits; budgets with `each` have one for each value. */
const MAX_POOLS = 200;

const POOLS = new WeakMap<Store, Map<string, Pool>>();
const BASES = new WeakMap<Store, Store>();

/** Makes a store count through that of its process: a tenant's store reads no counts. */
export function countThrough(store: Store, base: Store): void {
  BASES.set(store, base);
}

/** The units that the process of a store holds, by path; `isFirst` for the first call for a process. */
export function findPools(store: Store): { pools: Map<string, Pool>; base: Store; isFirst: boolean } {
  const base = BASES.get(store) ?? store;
  const isFirst = !POOLS.has(base);
  const pools = POOLS.get(base) ?? new Map<string, Pool>();
  POOLS.set(base, pools);
  if (pools.size > MAX_POOLS)
    for (const [path, pool] of pools)
      if (!hasUnits(pool) && pool.requests.length === 0 && pool.writing === undefined) pools.delete(path);
  return { pools, base, isFirst };
}

/** Whether something of the pool is to be written or returned. */
export const hasUnits = ({ spent, left, running, held }: Pool): boolean =>
  spent !== 0 || left !== 0 || running !== 0 || held !== 0;
