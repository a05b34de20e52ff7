// Simulates instances that share a limit: the store is slow, clocks differ, instances die and freeze.

import type { Store } from '../../../../shared/core/contract/store.ts';
import { createRandom } from '../../../../shared/engine/testing/random.ts';
import { createVirtualTime } from '../../../../shared/engine/testing/virtualTime.ts';
import { type Allowance, allowancePath } from '../../../../shared/kits/allowances/allowance.ts';
import { takeAllowance } from '../../../../shared/kits/allowances/takeAllowance.ts';
import { createMemoryStore } from '../../../../shared/store/memory/memoryStore.ts';

/** What is simulated. */
export interface AllowanceRun {
  seed: number;
  instances: number;
  /** Investigations of an instance. */
  lanes: number;
  allowance: Allowance;
  /** The limit at a time after the start; null: there is none. */
  limitAt: (ms: number) => number | null;
  /** Units that a call reserves. */
  need: number;
  /** The most units that it uses, as a share of the reserved ones. */
  uses: number;
  /** The share of the limit that only every tenth call can use. */
  kept: number;
  /** From one call of an investigation to the next. */
  callMs: number;
  /** Within which instances start. */
  rampMs: number;
  start: string;
  lastsMs: number;
  /** The share of instances that die, and of those that freeze for a time. */
  dying?: number;
  freezing?: number;
  /** Within which instances die or freeze. Default: the whole run. */
  stopsWithinMs?: number;
  /** How far clocks differ. */
  skewMs?: number;
}

/** The result of a run. */
export interface AllowanceReport {
  /** Times at which used and running units passed the limit, by more than what dead instances lost. */
  passed: string[];
  /** Used units by document, and as the documents have them in the end. */
  used: Record<string, number>;
  counted: Record<string, number>;
  /** Units that instances used and had not written when they died or froze. */
  lost: number;
  granted: number;
  /** Of the granted requests, those that waited for the store. */
  slow: number;
  writes: number;
  /** The most writes of a document in ten seconds, after all instances have started and written. */
  hottest: number;
}

interface Instance {
  store: Store;
  clock: { now(): Date; every: () => () => void; after(ms: number, action: () => void): () => void };
  isDead: boolean;
  frozenUntil: number;
  /** Used units that it has not written. */
  unwritten: number;
}

/** Runs the instances. The seed determines everything. */
export async function simulateAllowances(run: AllowanceRun): Promise<AllowanceReport> {
  const { int } = createRandom(run.seed);
  const random = () => int(0, 999_999) / 1_000_000;
  const from = Date.parse(run.start);
  const time = createVirtualTime(from);
  const pause = (ms: number) => new Promise<void>((resolve) => time.after(ms, resolve));
  const memory = createMemoryStore(() => new Date(time.now()));
  const writesAt = new Map<string, number[]>();
  const report: AllowanceReport = {
    passed: [],
    used: {},
    counted: {},
    lost: 0,
    granted: 0,
    slow: 0,
    writes: 0,
    hottest: 0,
  };
  const running: Record<string, number> = {};
  /** Used and running units of calls that have no share of what is kept. */
  const ordinary: Record<string, number> = {};
  const add = (counts: Record<string, number>, path: string, units: number) => {
    counts[path] = (counts[path] ?? 0) + units;
  };

  const startInstance = (): Instance => {
    const skew = Math.floor((2 * random() - 1) * (run.skewMs ?? 0));
    const slow = async <T>(work: () => Promise<T>, path?: string): Promise<T> => {
      await pause(5 + random() * 40);
      await awake();
      if (path !== undefined) {
        report.writes += 1;
        writesAt.set(path, [...(writesAt.get(path) ?? []), time.now()]);
      }
      const result = await work();
      await pause(5 + random() * 40);
      await awake();
      return result;
    };
    const awake = async (): Promise<void> => {
      if (instance.isDead) await new Promise(() => {});
      if (instance.frozenUntil > time.now()) await pause(instance.frozenUntil - time.now());
    };
    const instance: Instance = {
      isDead: false,
      frozenUntil: 0,
      unwritten: 0,
      clock: {
        now: () => new Date(time.now() + skew),
        every: () => () => {},
        after: (ms, action) =>
          time.after(ms, () => {
            if (instance.isDead) return;
            if (instance.frozenUntil > time.now()) time.after(instance.frozenUntil - time.now(), action);
            else action();
          }),
      },
      store: {
        ...memory,
        get: (path, type) => slow(() => memory.get(path, type)),
        commit: (writes) => slow(() => memory.commit(writes), writes[0]?.path),
        increment: (path, ...rest) => slow(() => memory.increment(path, ...rest), path),
        incrementAll: (path, type, value, fields) =>
          slow(() => {
            instance.unwritten -= (value as { used?: number }).used ?? 0;
            return memory.incrementAll(path, type, value, fields);
          }, path),
      },
    };
    const lane = async (number: number): Promise<void> => {
      await pause(random() * run.callMs);
      for (let calls = number; ; calls++) {
        await awake();
        const limit = run.limitAt(time.now() - from);
        const at = instance.clock.now();
        const path = allowancePath(run.allowance, at);
        const used = Math.floor(run.need * run.uses * random());
        if (limit === null) {
          await pause(run.callMs);
          continue;
        }
        const cap = calls % 10 === 0 ? limit : Math.floor(limit * (1 - run.kept));
        const asked = time.now();
        const taken = await takeAllowance(
          run.allowance,
          { need: run.need, cap, at, isPatient: true },
          instance,
        );
        await awake();
        if (taken.kind === 'refused') {
          // Used up: the investigation ends, and another one comes.
          await pause(taken.used + run.need > cap ? 30 * run.callMs : run.callMs);
          continue;
        }
        report.granted += 1;
        if (time.now() > asked) report.slow += 1;
        add(running, path, run.need);
        const total = (report.used[path] ?? 0) + (running[path] ?? 0);
        const most = Math.max(limit, run.limitAt(asked - from) ?? limit);
        if (total > most + report.lost)
          report.passed.push(`${path} at ${new Date(time.now()).toISOString()}: ${total} of ${most}`);
        if (cap < limit) {
          add(ordinary, path, run.need);
          if ((ordinary[path] ?? 0) > Math.floor(most * (1 - run.kept)) + report.lost)
            report.passed.push(`${path}: ${ordinary[path]} of ${cap} that are not kept`);
        }
        const isStopped = await ends(run.callMs * (0.8 + 0.4 * random()));
        add(running, path, -run.need);
        add(report.used, path, used);
        if (cap < limit) add(ordinary, path, used - run.need);
        if (isStopped) report.lost += run.need;
        if (instance.isDead) return;
        instance.unwritten += used;
        await taken.settle(used);
      }
    };
    /** Waits for the end of a call; true if the instance stopped meanwhile. */
    const ends = async (ms: number): Promise<boolean> => {
      await pause(ms);
      const isStopped = instance.isDead || instance.frozenUntil > time.now();
      if (!instance.isDead) await awake();
      return isStopped;
    };
    for (let number = 0; number < run.lanes; number++) void lane(number);
    return instance;
  };

  const all: Instance[] = [];
  const spend = { dying: run.dying ?? 0, freezing: run.freezing ?? 0 };
  for (let index = 0; index < run.instances; index++)
    time.after((index * run.rampMs) / run.instances, () => {
      const instance = startInstance();
      all.push(instance);
      const fate = random();
      const when = random() * (run.stopsWithinMs ?? run.lastsMs);
      if (fate < spend.dying)
        time.after(when, () => {
          instance.isDead = true;
          report.lost += instance.unwritten;
        });
      else if (fate < spend.dying + spend.freezing)
        time.after(when, () => {
          report.lost += instance.unwritten;
          instance.frozenUntil = time.now() + (1 + random() * 90) * 60_000;
        });
    });
  await time.runUntil(() => false, from + run.lastsMs);
  for (const { path, data } of memory.documents()) {
    const { used } = data as { used: number };
    report.counted[path] = used;
  }
  // Each instance has written at its place.
  const steadyFrom = from + run.rampMs + 4_000 * run.instances;
  for (const times of writesAt.values()) {
    const steady = times.filter((at) => at >= steadyFrom);
    steady.forEach((at, index) => {
      let last = index;
      while ((steady[last + 1] ?? Number.POSITIVE_INFINITY) < at + 10_000) last += 1;
      report.hottest = Math.max(report.hottest, last - index + 1);
    });
  }
  return report;
}
