// The world of one seed of `simulate`: its faults, drawn from the seed, and the record of what happens.

import type { Write } from '../../core/contract/store.ts';
import { CRASH_POINTS, type CrashPoint } from '../../core/kernel/crashPoints.ts';
import type { Approval } from '../../core/schema/approval.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { approvalType, executionType, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Session } from '../../core/schema/session.ts';
import { ENGINE_PARTS } from '../../lists/engineFeatures.ts';
import { checkParts } from '../../store/checkedParts.ts';
import { createMemoryStore, type MemoryStore } from '../../store/memory/memoryStore.ts';
import {
  createFaultDraws,
  ENGINE_FAULTS,
  type EngineFault,
  type FaultDraws,
  type FaultWorld,
} from './faults.ts';
import { createRandom, type Random } from './random.ts';
import { kill, type SimulatedProcess } from './simulatedProcess.ts';
import { createVirtualTime } from './virtualTime.ts';

/** The states of calls in the trace. */
const CALL_LETTERS = {
  requested: '.',
  running: 'r',
  waiting: 'w',
  done: 'd',
  failed: 'f',
  unknown: 'u',
} as const;

const START = Date.UTC(2026, 0, 1);
/** After this virtual time no fault occurs, so that every run can end. */
const CALM_AFTER_MS = 60 * 60_000;
const MAX_SKEW_MS = 20_000;

/** The world of one seed. */
export interface EngineWorld extends FaultWorld, FaultDraws<EngineFault> {
  startedAt: number;
  store: MemoryStore;
  /** Processes that have died. */
  crashes: number;
  /** How many processes of each kind take turns. */
  instances: number;
  /** The status of each run. */
  statuses: Map<string, Session['status']>;
  broken: string[];
  /** Called when an approval is asked for. */
  onApproval(approval: Approval): void;
  /** Records a commit that was applied. */
  record(writes: readonly Write[], process: SimulatedProcess): void;
  /** The crash points of a process. */
  failpoint(process: SimulatedProcess): (point: CrashPoint) => Promise<void>;
  /** Kills a process perhaps, right after its tool had its effect. */
  killAfterEffect(process: SimulatedProcess, tool: string): void;
}

/** The world of a seed. */
export function createEngineWorld(seed: number): EngineWorld {
  const random = createRandom(seed);
  const time = createVirtualTime(START);
  const { probability, crashPoints } = drawMixture(random);
  const draws = createFaultDraws<EngineFault>(
    { time, random },
    (fault) => probability[fault],
    () => START + CALM_AFTER_MS,
  );
  const { drawFault, traceLine } = draws;
  const world: EngineWorld = {
    ...draws,
    time,
    random,
    startedAt: START,
    plan: {
      maxSkewMs: MAX_SKEW_MS,
      cacheBytes: random.chance(0.2) ? random.int(0, 30_000) : Number.POSITIVE_INFINITY,
      storm: random.chance(0.1) ? random.pick(['burst', 'late']) : null,
      maxDeliveryAttempts: random.pick([5, 8, 20]),
    },
    instances: random.int(1, 3),
    store: checkParts(
      createMemoryStore(() => new Date(time.now())),
      ENGINE_PARTS,
    ),
    crashes: 0,
    statuses: new Map(),
    broken: [],
    drawMs: random.int,
    onApproval() {},
    noteDeath() {
      world.crashes++;
    },
    record(writes, process) {
      traceLine(`${process.name} writes ${describeWrites(writes)}`);
      for (const { op, type, value } of writes) {
        if (type === (sessionType as unknown) && op !== 'delete') noteStatus(value as Session, world);
        if (type === (approvalType as unknown) && op === 'create') world.onApproval(value as Approval);
      }
    },
    failpoint: (process) => async (point) => {
      if (!crashPoints.has(point) || !drawFault('process_killed_at_crash_point')) return;
      kill(process, `at ${point}`, world);
      await new Promise<never>(() => {});
    },
    killAfterEffect(process, tool) {
      if (drawFault('process_killed_at_crash_point')) kill(process, `after an effect of ${tool}`, world);
    },
  };
  return world;
}

function noteStatus({ sessionId, status }: Session, { statuses, broken }: EngineWorld): void {
  const before = statuses.get(sessionId);
  if (before !== undefined && isTerminal(before) && before !== status)
    broken.push(`run ${sessionId} has ended as ${before}, and then is ${status}`);
  statuses.set(sessionId, status);
}

/** Each seed has its own mixture: faults that always occur together hide the effects of single ones. */
function drawMixture(random: Random): {
  probability: Record<EngineFault, number>;
  crashPoints: ReadonlySet<CrashPoint>;
} {
  const entries = Object.entries(ENGINE_FAULTS).map(([fault, highest]) => [
    fault,
    random.chance(0.5) ? (highest * random.int(1, 100)) / 100 : 0,
  ]);
  const probability = Object.fromEntries(entries) as Record<EngineFault, number>;
  const points = Object.values(CRASH_POINTS);
  // Some crash points are reached rarely, so some seeds kill at a single one, and often.
  if (random.chance(0.7))
    return { probability, crashPoints: new Set(points.filter(() => random.chance(0.4))) };
  probability.process_killed_at_crash_point = 0.6;
  return {
    probability,
    crashPoints: new Set([points[random.int(0, points.length - 1)] ?? CRASH_POINTS.afterLoad]),
  };
}

/** The documents of a commit: `+` creates, `=` changes, `-` deletes. */
export function describeWrites(writes: readonly Write[]): string {
  return writes.map(describeWrite).join(' ');
}

function describeWrite({ op, path, type, value }: Write): string {
  const id = path.split('/').slice(2).join('/') || path;
  if (op === 'delete') return `-${id}`;
  const sign = op === 'create' ? '+' : '=';
  if (type !== (executionType as unknown)) {
    const { status } = value as { status?: string };
    const isState = path.split('/').length === 2 || path.split('/')[2] === 'stages';
    return `${sign}${id}${isState ? `(${status})` : ''}`;
  }
  const { status, iteration, lease, pendingCalls } = value as Execution;
  const calls = pendingCalls.map((call) => CALL_LETTERS[call.state]).join('');
  return `${sign}${id}(${status} ${iteration}${lease === null ? '' : ' held'}${calls && ` ${calls}`})`;
}
