// The limits of Firestore in the simulation: those of the local cloud, for documents that investigations
// share, for collections, and for indexes with values that grow.

import { createKeyRange, heatRange } from '../../../packages/local-cloud/src/firestore/limits/keyRange.ts';
import {
  type Demand,
  Load,
  queueDemands,
  type Rate,
} from '../../../packages/local-cloud/src/firestore/limits/loads.ts';
import type { Counted, Operation } from './countOperations.ts';
import type { Inputs } from './inputs.ts';
import type { Process, Timeline } from './timeline.ts';

/** Google's client tries an aborted commit again. */
const AGAIN_SECONDS = 1;
/** A call of the store is tried again for this time (`openCloud`). */
const TIMEOUT_SECONDS = 30;
/** As in the local cloud: a document takes ten seconds of its rate at once. */
const BURST_SECONDS = 10;
/** https://firebase.google.com/docs/firestore/best-practices#ramping_up_traffic */
export const WARMING = { perSecond: 500, growth: 1.5, minutes: 5 };

/** Documents that a process writes less often, the more processes there are: none more than once a second. */
export const PACED = /^allowances\//;

/** Makes a call; its result is whether it was answered in time. */
export type CallFirestore = (operation: Operation) => Process<boolean>;

/** A Firestore without traffic, except for the minutes in which it was warmed. */
export function createFirestore(
  { firestore }: Inputs,
  { investigations, indexes }: Counted,
  timeline: Timeline,
): CallFirestore {
  const { readSeconds, commitSeconds, documentWrites, indexWrites, warmMinutes } = firestore;
  const documentRate = { perSecond: documentWrites, burst: Math.max(1, documentWrites * BURST_SECONDS) };
  const indexRate = { perSecond: indexWrites, burst: indexWrites };
  const operations = investigations.flat().flatMap(({ segments }) => segments.flat());
  const writes = operations.reduce((sum, operation) => sum + operation.writes, 0) / investigations.length;
  const loads = new Map<string, Load<undefined>>();
  const ranges = new Map<string, ReturnType<typeof createKeyRange>>();

  const demand = (reason: string, rate: Rate, count: number): Demand => {
    const load = loads.get(reason) ?? new Load(undefined);
    loads.set(reason, load);
    return { load, rate, count, reason };
  };
  const demandRange = ([root, count]: [string, number]): Demand => {
    const range = ranges.get(root) ?? createKeyRange(0);
    if (!ranges.has(root)) range.perSecond *= WARMING.growth ** Math.floor(warmMinutes / WARMING.minutes);
    ranges.set(root, range);
    return demand(`collection ${root}`, heatRange(range, timeline.now * 1000, count), count);
  };
  /** The seconds of the longest wait; undefined when it is too long and the commit aborted. */
  const queue = (demands: Demand[]): number | undefined => {
    const nowMs = timeline.now * 1000;
    const waits = demands.map(({ load, rate }) => load.wait(nowMs, rate));
    const longest = Math.max(...waits);
    if (longest > 0) timeline.blame(demands[waits.indexOf(longest)]?.reason ?? '', longest / 1000);
    try {
      return queueDemands(demands, nowMs) / 1000;
    } catch {
      return undefined;
    }
  };

  return function* call({ isCommit, collections, documents, writes: own }) {
    for (let waited = 0; waited <= TIMEOUT_SECONDS; waited += AGAIN_SECONDS) {
      const demands = Object.entries(collections).map(demandRange);
      if (!isCommit) {
        // Reads heat a collection, and do not wait.
        for (const { load, rate, count } of demands) load.add(timeline.now * 1000, rate, count);
        yield readSeconds;
        return true;
      }
      for (const name of documents)
        if (!PACED.test(name)) demands.push(demand(`document ${name}`, documentRate, 1));
      for (const [name, each] of Object.entries(indexes))
        demands.push(demand(`index ${name}`, indexRate, (each * own) / writes));
      const wait = queue(demands);
      yield wait === undefined ? AGAIN_SECONDS : wait + commitSeconds;
      if (wait !== undefined) return true;
    }
    return false;
  };
}
