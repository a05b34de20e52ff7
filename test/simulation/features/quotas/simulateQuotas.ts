// Simulates instances that share a minute's quota: the store is slow, deliveries are late, and refused
// executions come back when Pub/Sub or the sweep delivers them.

import { createQuotas } from '../../../../shared/contract/quotas.ts';
import type { Store } from '../../../../shared/core/contract/store.ts';
import { createRandom } from '../../../../shared/engine/testing/random.ts';
import { createVirtualTime } from '../../../../shared/engine/testing/virtualTime.ts';
import { takeQuota } from '../../../../shared/features/quotas/takeQuota.ts';
import { modelAllowance, type QuotaPlace } from '../../../../shared/kits/quotas/quota.ts';
import { createMemoryStore } from '../../../../shared/store/memory/memoryStore.ts';

/** A kind of executions that arrive at random. */
interface Arrivals {
  /** The tenant of their sessions. */
  tenant: string;
  /** Whether their alerts are critical. */
  isCritical: boolean;
  /** Executions of a minute, on average. */
  perMinute: number;
}

/** What is simulated. */
export interface QuotaRun {
  seed: number;
  instances: number;
  /** Requests of a minute. */
  rpm: number;
  minutes: number;
  arrivals: readonly Arrivals[];
}

/** The result of a run. */
export interface QuotaReport {
  /** Granted requests of each minute. */
  granted: number[];
  /** Minutes in which executions waited at their end. */
  saturated: number[];
  /** The longest wait in milliseconds, by rank and tenant: `c shop`. Includes executions that still wait. */
  longestMs: Record<string, number>;
  /** Granted requests by rank and tenant. */
  byKind: Record<string, number>;
  /** Deliveries of each granted request, on average. */
  deliveries: number;
  /** Reads and writes of each granted request, on average. */
  operations: number;
  /** The most writes of a document in ten seconds. */
  hottest: number;
}

const MINUTE_MS = 60_000;
const START = Date.parse('2026-11-05T10:00:00Z');

/** Runs the instances. The seed determines everything. */
export async function simulateQuotas(run: QuotaRun): Promise<QuotaReport> {
  const { int } = createRandom(run.seed);
  const random = () => int(0, 999_999) / 1_000_000;
  const time = createVirtualTime(START);
  const pause = (ms: number) => new Promise<void>((resolve) => time.after(ms, resolve));
  const clock = { now: () => new Date(time.now()), every: () => () => {}, after: time.after };
  const memory = createMemoryStore(clock.now);
  let operations = 0;
  const writesAt = new Map<string, number[]>();
  const slow = async <T>(work: () => Promise<T>): Promise<T> => {
    operations += 1;
    await pause(5 + random() * 40);
    const result = await work();
    await pause(5 + random() * 40);
    return result;
  };
  const store: Store = {
    ...memory,
    get: (path, type) => slow(() => memory.get(path, type)),
    list: (query, type) => slow(() => memory.list(query, type)),
    incrementAll: (path, type, value, fields) => {
      writesAt.set(path, [...(writesAt.get(path) ?? []), time.now()]);
      return slow(() => memory.incrementAll(path, type, value, fields));
    },
  };
  const model = 'google/gemini';
  const processes = Array.from({ length: run.instances }, () =>
    createQuotas({ models: { [model]: { rpm: run.rpm } }, servers: {} }),
  );
  const granted = new Array<number>(run.minutes).fill(0);
  const waiting = new Map<object, { since: number; kind: string }>();
  const waitingAt = new Array<number>(run.minutes).fill(0);
  const longestMs: Record<string, number> = {};
  const byKind: Record<string, number> = {};
  let deliveries = 0;
  const minute = () => Math.floor((time.now() - START) / MINUTE_MS);

  const deliver = async ({ tenant, isCritical }: Arrivals): Promise<void> => {
    const execution = { since: time.now(), kind: `${isCritical ? 'c' : 'n'} ${tenant}` };
    waiting.set(execution, execution);
    for (let place: QuotaPlace | undefined; minute() < run.minutes; ) {
      deliveries += 1;
      const quotas =
        processes[Math.floor(random() * processes.length)] ?? createQuotas({ models: {}, servers: {} });
      const request = {
        allowance: modelAllowance({ provider: 'google', model: 'gemini' }),
        limit: { requests: run.rpm },
        claimant: { tenant, isCritical },
        tokens: 0,
        place,
      };
      const taken = await takeQuota(request, quotas, { store, clock, random });
      if (taken.kind === 'granted') {
        granted[minute()] = (granted[minute()] ?? 0) + 1;
        byKind[execution.kind] = (byKind[execution.kind] ?? 0) + 1;
        break;
      }
      place = taken.place;
      const until = taken.until.getTime();
      // A short wait ends with Pub/Sub's back-off; a long one with the sweep, each minute.
      const isParked = until - time.now() >= MINUTE_MS;
      const due = isParked ? Math.ceil(until / MINUTE_MS) * MINUTE_MS + 1_000 : until + random() * 10_000;
      await pause(due - time.now());
    }
    longestMs[execution.kind] = Math.max(longestMs[execution.kind] ?? 0, time.now() - execution.since);
    if (minute() < run.minutes) waiting.delete(execution);
  };
  for (const arrivals of run.arrivals)
    for (let at = 0; ; ) {
      at += (-Math.log(1 - random()) * MINUTE_MS) / arrivals.perMinute;
      if (at >= run.minutes * MINUTE_MS) break;
      time.after(at, () => void deliver(arrivals));
    }
  for (let at = 0; at < run.minutes; at++)
    time.after((at + 1) * MINUTE_MS - 1, () => {
      waitingAt[at] = waiting.size;
    });
  await time.runUntil(() => false, START + (run.minutes + 2) * MINUTE_MS);
  const total = granted.reduce((sum, n) => sum + n, 0);
  return {
    granted,
    saturated: waitingAt.flatMap((n, at) => (n > 0 && (waitingAt[at - 1] ?? 0) > 0 ? [at] : [])),
    longestMs,
    byKind,
    deliveries: deliveries / total,
    operations: operations / total,
    hottest: findHottest([...writesAt.values()]),
  };
}

const WINDOW_MS = 10_000;

/** The most writes of a document in ten seconds. @param times of its writes, in order. */
function findHottest(documents: readonly (readonly number[])[]): number {
  let most = 0;
  for (const times of documents) {
    let first = 0;
    times.forEach((at, index) => {
      while (at - (times[first] ?? at) >= WINDOW_MS) first += 1;
      most = Math.max(most, index - first + 1);
    });
  }
  return most;
}
