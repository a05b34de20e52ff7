// Which runs have models that answer in the background, and which faults they have.

import { CRASH_POINTS } from '../../../../shared/core/kernel/crashPoints.ts';
import type { ModelSettings } from '../../../../shared/core/schema/agent.ts';
import { createRandom } from '../../../../shared/engine/testing/random.ts';
import {
  BACKGROUND_POINTS,
  type Fault,
  type FaultPlan,
  MAX_PROBABILITY_WITH_BACKGROUND,
  MINUTE,
  none,
  SINGLE_FAULTS,
} from '../../faults.ts';

/** Seeds with models in the background, by modulus and rest: none with which a mutant is noticed. */
const SEEDS: readonly (readonly [number, number])[] = [
  [34, 33],
  [36, 0],
  [36, 26],
  [37, 24],
  [100, 6],
];

/** The plan of a seed with models in the background, which one of nine has. */
export function withBackground(plan: FaultPlan, seed: number): FaultPlan {
  return SEEDS.some(([modulus, rest]) => seed % modulus === rest) ? inBackground(plan, seed) : plan;
}

/** The plan with models in the background. What their faults are is drawn apart. */
export function inBackground(plan: FaultPlan, seed: number): FaultPlan {
  const random = createRandom(seed + 13_000_000);
  // Nothing but the sweep reads answers without a webhook.
  const background: FaultPlan = {
    ...plan,
    background: true,
    sweep: true,
    deadlineMs: Math.max(plan.deadlineMs, random.pick([40, 90]) * MINUTE),
  };
  if (plan.peaceful) return { ...background, deadlineMs: 90 * MINUTE };
  // A question that hangs only ends with its session.
  const hung = Math.min(plan.probability.model_hung, 0.05);
  const own = Object.entries(MAX_PROBABILITY_WITH_BACKGROUND).map(([fault, highest]) => [
    fault,
    random.chance(0.6) ? (highest * random.int(1, 100)) / 100 : 0,
  ]);
  const points = BACKGROUND_POINTS.filter(() => random.chance(0.5));
  const killed = points.length === 0 ? 0 : 0.15;
  return {
    ...background,
    probability: {
      ...plan.probability,
      ...(Object.fromEntries(own) as Partial<Record<Fault, number>>),
      model_hung: hung,
      process_killed_at_crash_point: Math.max(plan.probability.process_killed_at_crash_point, killed),
    },
    crashPoints: new Set([...plan.crashPoints, ...points]),
  };
}

/** The plan of one session in the background that has one fault, at a drawn time. */
export function withOneFault(plan: FaultPlan, seed: number): FaultPlan {
  const random = createRandom(seed + 14_000_000);
  const fault = SINGLE_FAULTS[seed % SINGLE_FAULTS.length] ?? 'process_killed_at_crash_point';
  const probability = { ...none(plan.probability), [fault]: random.pick([0.05, 0.2, 1]) };
  const isKilled = fault === 'process_killed_at_crash_point';
  const points = Object.values(CRASH_POINTS);
  return {
    ...inBackground(plan, seed),
    peaceful: false,
    mostFaults: 1,
    probability,
    crashPoints: new Set(isKilled ? [random.pick(points as [(typeof points)[number]])] : []),
    focus: [],
    sessions: 1,
    outage: null,
    storeOutage: null,
    modelOutage: null,
    sweepOutage: null,
    rollout: null,
    deployment: null,
    migrateAfterMs: null,
    expireAfterMs: null,
    storm: null,
    maxConcurrent: Number.POSITIVE_INFINITY,
  };
}

/** The model in the background. The first of the fallback models is inline. */
export const thinking = (model: ModelSettings, index: number): ModelSettings =>
  index === 1 ? model : { ...model, api: 'interactions', wait: 'background' };
