// The state that all parts of a run share.

import type { Store } from '../../shared/contract/store.ts';
import type { CrashPoint } from '../../shared/runtime/crashPoints.ts';
import type { Fault, FaultPlan } from './faults.ts';
import type { Random } from './random.ts';
import type { RunRecord } from './record.ts';
import type { VirtualTime } from './virtualTime.ts';

/** The shared state of a run. */
export interface World {
  time: VirtualTime;
  random: Random;
  plan: FaultPlan;
  store: Store;
  record: RunRecord;
  faults: Map<Fault, number>;
  kills: Map<CrashPoint, number>;
  /** Draws whether a fault occurs now, and counts it if so. */
  drawFault(fault: Fault): boolean;
  /** Draws a duration in milliseconds. */
  drawMs(min: number, max: number): number;
  /** Adds a line to the trace. */
  traceLine(line: string): void;
}

/** A world with an empty record. */
export function createWorld(parts: Pick<World, 'time' | 'random' | 'plan' | 'store'>): World {
  const { time, random, plan } = parts;
  const start = time.now();
  const faults = new Map<Fault, number>();
  const record: RunRecord = {
    commits: [],
    activities: [],
    executions: new Map(),
    session: undefined,
    claims: new Map(),
    published: new Map(),
    violations: [],
    trace: [],
  };
  return {
    ...parts,
    record,
    faults,
    kills: new Map(),
    drawFault(fault) {
      if (time.now() - start > plan.calmAfterMs || !random.chance(plan.probability[fault])) return false;
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
      this.traceLine(`! ${fault.replaceAll('_', ' ')}`);
      return true;
    },
    drawMs: (min, max) => random.int(min, max),
    traceLine(line) {
      record.trace.push(`${((time.now() - start) / 1000).toFixed(3).padStart(10)} ${line}`);
    },
  };
}
