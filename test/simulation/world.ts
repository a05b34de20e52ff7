// The state that all parts of a run share.

import type { CrashPoint } from '../../shared/core/kernel/crashPoints.ts';
import type { Approval } from '../../shared/core/schema/approval.ts';
import { createFaultDraws, type FaultDraws } from '../../shared/engine/testing/faults.ts';
import type { Random } from '../../shared/engine/testing/random.ts';
import type { VirtualTime } from '../../shared/engine/testing/virtualTime.ts';
import type { MemoryStore } from '../../shared/store/memory/memoryStore.ts';
import type { CallKind, Fault, FaultPlan, Period, Rollout } from './faults.ts';
import { type Generation, generationsOf, storeOf } from './generations.ts';
import type { Announcements, Invocation, RunRecord } from './record.ts';
import type { TreeRow } from './treeMoments.ts';

/** The shared state of a run. */
export interface World extends Pick<FaultDraws<Fault>, 'faults' | 'traceLine' | 'countFault'> {
  time: VirtualTime;
  random: Random;
  plan: FaultPlan;
  /** The documents as they are stored. */
  store: MemoryStore;
  /** The code before and after the upgrade of the plan. */
  generations: { older: Generation; newer: Generation };
  /** The store as the newer code reads it. */
  reader: MemoryStore;
  /** Until when faults occur, in epoch milliseconds. Those of the plan end at their planned time. */
  faultsUntil: number;
  /** When newer code is deployed; null for never. Of the plan, until the run has a deployment of its own. */
  rollout: Rollout | null;
  record: RunRecord;
  announcements: Announcements;
  kills: Map<CrashPoint, number>;
  /** Where processes died whose execution was about to ask another model. */
  killsAtFallback: Set<CrashPoint>;
  /** The moments of trees that were seen. */
  rows: Set<TreeRow>;
  /** Refused writes, as `{invocation} {executionKey}`. */
  refused: Set<string>;
  /** How many of the next claims lose their answer, by `{executionKey}.{iteration}`. */
  lostClaims: Map<string, number>;
  /** Who created each execution, by path. */
  createdBy: Map<string, Invocation>;
  /** Draws whether a fault occurs now, and counts it if so. `calls` is the kind of call it would hit. */
  drawFault(fault: Fault, calls?: CallKind): boolean;
  /** Whether a period of the plan is now. */
  isIn(period: Period | null): boolean;
  /** Notes that a process has died. */
  noteDeath(): void;
  /** Draws a duration in milliseconds. */
  drawMs(min: number, max: number): number;
  /** A text that occurs in one answer or result of the run alone. */
  nextMark(): string;
  /** Called when an approval is asked for. */
  onApproval(approval: Approval): void;
}

/** The probability of the fault that a run focuses on. */
const FOCUSED = 0.5;

const sumFaults = (faults: ReadonlyMap<Fault, number>): number =>
  [...faults.values()].reduce((sum, count) => sum + count, 0);

/** A world with an empty record. */
export function createWorld(parts: Pick<World, 'time' | 'random' | 'plan' | 'store'>): World {
  const { time, random, plan } = parts;
  const start = time.now();
  let marks = 0;
  const draws = createFaultDraws<Fault>(
    parts,
    (fault, calls) => {
      if (plan.mostFaults !== null && sumFaults(draws.faults) >= plan.mostFaults) return 0;
      const isFocus = plan.focus.some((focus) => focus.fault === fault && focus.calls === calls);
      return isFocus ? FOCUSED : plan.probability[fault];
    },
    () => world.faultsUntil,
  );
  const record: RunRecord = {
    commits: [],
    live: [],
    activities: [],
    submissions: [],
    thoughts: [],
    executions: new Map(),
    sessions: new Map(),
    alertKeys: new Map(),
    stages: new Map(),
    approvals: new Map(),
    pins: new Map(),
    outcomes: new Map(),
    checks: new Map(),
    decisions: [],
    told: [],
    asked: [],
    pauses: new Map(),
    systemPausedUntil: 0,
    effects: new Set(),
    newerPaths: new Set(),
    refusals: 0,
    versions: new Map(),
    unreadableProblems: false,
    expired: new Map(),
    claims: new Map(),
    heldAt: new Map(),
    published: { lastAt: new Map(), bySweep: 0, unmarked: 0 },
    tokens: { used: new Map(), isLost: false, hasDeaths: false },
    violations: [],
    trace: draws.trace,
  };
  const generations = generationsOf(plan.upgrade);
  const world: World = {
    ...parts,
    ...draws,
    generations,
    reader: storeOf(parts.store, generations.newer),
    faultsUntil: start + plan.calmAfterMs,
    rollout: plan.rollout,
    record,
    announcements: { changes: new WeakMap(), stored: new Set() },
    kills: new Map(),
    killsAtFallback: new Set(),
    rows: new Set(),
    refused: new Set(),
    lostClaims: new Map(),
    createdBy: new Map(),
    isIn: (period) =>
      period !== null && time.now() - start >= period.fromMs && time.now() - start < period.toMs,
    noteDeath() {
      record.tokens.hasDeaths = true;
    },
    drawMs: (min, max) => (plan.lockstep ? min : random.int(min, max)),
    onApproval() {},
    nextMark: () => `#${++marks}#`,
  };
  return world;
}
