// A Firestore with the limits of production: commits above a rate are late, then ABORTED.

import type { Clock } from '../../protocol/clock.ts';
import type { Committer, Engine } from '../engine/engine.ts';
import type { Write } from '../engine/writes.ts';
import type { Indexes } from '../indexes/indexFile.ts';
import type { Query } from '../query/query.ts';
import { invalid } from '../values/errors.ts';
import { type DocumentKey, documentWireName } from '../values/names.ts';
import { createGrowth, planIndexDemands } from './growth.ts';
import { createKeyRange, heatRange } from './keyRange.ts';
import { createLoads, type Demand, queueDemands } from './loads.ts';
import { createQueryReads } from './queryReads.ts';

/** Which limits, and by which time. */
export interface LimitOptions {
  /**
   * Sustained writes per second of one document, above 0. 1 is ours: Google names no number any more
   * (https://firebase.google.com/docs/firestore/best-practices#updates_to_a_single_document).
   */
  writesPerSecond: number;
  /** The time of waits and rates. */
  clock: Clock;
}

/** Ours: a document takes ten seconds of its rate at once. */
const BURST_SECONDS = 10;
/** Of one document in a commit: https://firebase.google.com/docs/firestore/quotas#writes_and_transactions */
const MAX_TRANSFORMS = 500;

/** The limits of one service. */
export interface Limits extends Committer {
  /** Counts the read of a document by its name. */
  addRead(key: DocumentKey): void;
  /** Counts the reads of a query. */
  addQuery(query: Query, reads: { documents: number; entries: number }): void;
  /** Exceeded limits, and the greatest rates, as JSON. */
  report(): unknown;
  /** Cancels all waits: their commits are never done. */
  close(): void;
}

/** Limits the commits of an engine. */
export function createLimits(
  engine: Engine,
  indexes: Indexes,
  { writesPerSecond, clock }: LimitOptions,
): Limits {
  const documents = createLoads(() => undefined);
  const ranges = createLoads(createKeyRange);
  const ends = createLoads(createGrowth);
  const queries = createQueryReads();
  const waits = createWaits(clock);
  const since = clock.now();
  const now = (): number => clock.now().getTime();
  const documentRate = { perSecond: writesPerSecond, burst: Math.max(1, writesPerSecond * BURST_SECONDS) };

  /** The demand of operations at a key range. */
  const demandRange = (database: string, root: string, count: number, nowMs: number): Demand => {
    const load = ranges.get(`${database}/documents/${root}`, nowMs);
    const rate = heatRange(load.state, nowMs, count);
    return { load, rate, count, reason: `${root} takes ${rate.perSecond} operations a second now` };
  };

  /** The demands at documents and key ranges, which are known before the commit. */
  const planDemands = (database: string, writes: Write[], nowMs: number): Demand[] => {
    const keys = new Map(writes.map(({ key }) => [key.path, key]));
    const roots = Map.groupBy(keys.keys(), findRoot);
    return [
      ...Array.from(keys.values(), (key) => ({
        load: documents.get(documentWireName(key), nowMs),
        rate: documentRate,
        count: 1,
        reason: `${key.path} is written more than ${writesPerSecond} times a second`,
      })),
      ...Array.from(roots, ([root, paths]) => demandRange(database, root, paths.length, nowMs)),
    ];
  };

  return {
    async commit(database, writes, check) {
      checkTransforms(writes);
      const waitMs = queueDemands(planDemands(database, writes, now()), now());
      if (waitMs > 0) await waits.sleep(waitMs);
      let lateMs = 0;
      const result = engine.commit(database, writes, check, (changes) => {
        lateMs = queueDemands(planIndexDemands(ends, indexes, database, changes, now()), now());
      });
      if (lateMs > 0) await waits.sleep(lateMs);
      return result;
    },
    addRead({ database, path }) {
      queries.addRead(path);
      const { load, rate, count } = demandRange(database, findRoot(path), 1, now());
      load.add(now(), rate, count);
    },
    addQuery(query, reads) {
      queries.add(query, reads);
      const { database, parent, collectionId = '' } = query.source;
      const root = parent === '' ? collectionId : findRoot(parent);
      const { load, rate, count } = demandRange(database, root, Math.max(1, reads.documents), now());
      load.add(now(), rate, count);
    },
    report: () => ({
      since,
      writesPerSecond,
      documents: documents.report(),
      collections: ranges.report(),
      indexes: ends.report(),
      queries: queries.report(),
    }),
    close: waits.close,
  };
}

/** Waits that can be cancelled together. */
function createWaits(clock: Clock): { sleep(ms: number): Promise<void>; close(): void } {
  const cancels = new Set<() => void>();
  return {
    sleep: (ms) =>
      new Promise((resolve) => {
        const cancel = clock.after(ms, () => {
          cancels.delete(cancel);
          resolve();
        });
        cancels.add(cancel);
      }),
    close() {
      for (const cancel of cancels) cancel();
    },
  };
}

/** `sessions` of `sessions/1/events/2` */
const findRoot = (path: string): string => path.split('/', 1)[0] ?? '';

/** @throws StatusError INVALID_ARGUMENT when all writes of a document together have too many transforms. */
function checkTransforms(writes: Write[]): void {
  const counts = new Map<string, number>();
  for (const { key, update } of writes) {
    const count = (counts.get(key.path) ?? 0) + (update?.transforms.length ?? 0);
    counts.set(key.path, count);
    if (count > MAX_TRANSFORMS)
      throw invalid(`A document cannot have more than ${MAX_TRANSFORMS} field transforms in one commit.`);
  }
}
