// The operations on each document, key range or index: how long the next ones wait, and the greatest rate.

import { aborted } from '../values/errors.ts';

/** A rate, and how many operations pass it at once. */
export interface Rate {
  /** Operations per second. */
  perSecond: number;
  /** Operations that do not wait when nothing came before. */
  burst: number;
}

/** Operations on one load. */
export interface Demand {
  load: Load<unknown>;
  /** The rate that the load takes. */
  rate: Rate;
  /** How many operations. */
  count: number;
  /** The reason of a refusal, in its error. */
  reason: string;
}

/** A load in the report. */
interface LoadRow {
  database: string;
  /** Of the document, the key range or the index. */
  name: string;
  /** Per second, the greatest of all times of ten seconds. */
  greatestRate: number;
  /** All that arrived, with refused ones. */
  operations: number;
  /** The sum of all waits. */
  lateSeconds: number;
  /** Refused because the wait would have been too long. */
  aborted: number;
}

/** Ours: Google's pages have no number. */
const MAX_WAIT_MS = 5_000;
const WINDOW_SECONDS = 10;
/** Of the loads that exceed no limit. */
const LISTED = 10;
/** More loads than this are kept while they are used, or listed. */
const MAX_LOADS = 10_000;

/** The load of one document, key range or index. */
export class Load<S> {
  /** The state that the limit needs. */
  readonly state: S;
  operations = 0;
  aborted = 0;
  lateMs = 0;
  /** Operations in the busiest ten seconds. */
  greatest = 0;
  /** When it was last looked at. */
  usedAtMs = 0;
  /** When its queue is empty. */
  #emptyAtMs = 0;
  /** Operations of the last ten seconds, each in its place. */
  readonly #seconds = new Array<number>(WINDOW_SECONDS).fill(0);
  #second = 0;

  constructor(state: S) {
    this.state = state;
  }

  /** How long the next operation waits. */
  wait(nowMs: number, { perSecond, burst }: Rate): number {
    const queued = (Math.max(0, this.#emptyAtMs - nowMs) * perSecond) / 1000;
    return Math.floor((Math.max(0, queued + 1 - burst) * 1000) / perSecond);
  }

  /** Adds operations that wait, or wait for nothing. */
  add(nowMs: number, { perSecond }: Rate, count: number, waitMs = 0): void {
    this.#emptyAtMs = Math.max(this.#emptyAtMs, nowMs) + (count * 1000) / perSecond;
    this.lateMs += waitMs;
    this.#count(nowMs, count);
  }

  /** Counts refused operations. */
  refuse(nowMs: number, count: number): void {
    this.aborted += count;
    this.#count(nowMs, count);
  }

  #count(nowMs: number, count: number): void {
    const second = Math.floor(nowMs / 1000);
    const steps = Math.min(WINDOW_SECONDS, second - this.#second);
    for (let step = 0; step < steps; step++) this.#seconds[(second - step) % WINDOW_SECONDS] = 0;
    this.#second = Math.max(this.#second, second);
    const place = second % WINDOW_SECONDS;
    this.#seconds[place] = (this.#seconds[place] ?? 0) + count;
    this.operations += count;
    this.greatest = Math.max(
      this.greatest,
      this.#seconds.reduce((sum, each) => sum + each),
    );
  }
}

/**
 * Adds operations to all their loads.
 * @returns how long the slowest waits, in milliseconds.
 * @throws StatusError ABORTED, and adds none, when one would wait for more than 5 s.
 */
export function queueDemands(demands: Demand[], nowMs: number): number {
  const waits = demands.map(({ load, rate }) => load.wait(nowMs, rate));
  const full = demands.filter((_, index) => (waits[index] ?? 0) > MAX_WAIT_MS);
  for (const { load, count } of full) load.refuse(nowMs, count);
  if (full[0] !== undefined) throw aborted(full[0].reason);
  for (const [index, { load, rate, count }] of demands.entries()) load.add(nowMs, rate, count, waits[index]);
  return waits.reduce((longest, wait) => Math.max(longest, wait), 0);
}

/** The loads of one limit, by wire-like names: `projects/P/databases/D/documents/NAME`. */
export interface Loads<S> {
  get(key: string, nowMs: number): Load<S>;
  /** Those that exceeded their limits, and the ten with the greatest rates. */
  report(): { exceeded: LoadRow[]; hottest: LoadRow[] };
}

/** @param createState the state of a new load. */
export function createLoads<S>(createState: (nowMs: number) => S): Loads<S> {
  const loads = new Map<string, Load<S>>();
  let pruneAt = MAX_LOADS;

  const listHottest = () => [...loads].sort(([, left], [, right]) => right.greatest - left.greatest);

  const forgetIdle = (nowMs: number): void => {
    const others = listHottest().slice(LISTED);
    for (const [key, load] of others) {
      const isIdle = nowMs - load.usedAtMs >= WINDOW_SECONDS * 1000;
      if (isIdle && !isExceeded(load)) loads.delete(key);
    }
    pruneAt = Math.max(MAX_LOADS, 2 * loads.size);
  };

  return {
    get(key, nowMs) {
      let load = loads.get(key);
      if (load === undefined) {
        if (loads.size >= pruneAt) forgetIdle(nowMs);
        load = new Load(createState(nowMs));
        loads.set(key, load);
      }
      load.usedAtMs = nowMs;
      return load;
    },
    report() {
      const all = listHottest().filter(([, { greatest }]) => greatest > 0);
      const exceeded = all.filter(([, load]) => isExceeded(load));
      return { exceeded: exceeded.map(toRow), hottest: all.slice(0, LISTED).map(toRow) };
    },
  };
}

const isExceeded = ({ lateMs, aborted }: Load<unknown>): boolean => lateMs > 0 || aborted > 0;

function toRow([key, { greatest, operations, lateMs, aborted }]: [string, Load<unknown>]): LoadRow {
  const [database = '', name = ''] = key.split(/\/documents\/(.*)/s);
  const greatestRate = greatest / WINDOW_SECONDS;
  return { database, name, greatestRate, operations, lateSeconds: lateMs / 1000, aborted };
}
