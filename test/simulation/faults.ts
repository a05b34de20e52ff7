// What goes wrong in a run: each seed draws a mixture of its own, because faults that are always all there hide
// what only some of them do.

import type { FunctionName } from '../../functions/manifest.ts';
import { CRASH_POINTS, type CrashPoint } from '../../shared/runtime/crashPoints.ts';
import type { Random } from './random.ts';

/** Faults with the highest probability they are drawn with, for each time they could happen. */
const HIGHEST = {
  /** A message comes a second time, at the same moment or later. */
  message_duplicated: 0.5,
  /** A delivery does not arrive; the message comes again later. */
  delivery_dropped: 0.2,
  /** A delivery arrives late, and so in another order. */
  delivery_delayed: 0.5,
  /** The function is done, Pub/Sub does not hear of it. */
  ack_lost: 0.2,
  /** A message that was acked comes once more, long after. */
  acked_again: 0.2,
  /** A function takes nothing while it is out of order, or turns away what is above its limit. */
  function_down: 1,
  /** Many copies of a message come at the same moment. */
  message_burst: 0.05,
  /** A message is gone for good. Only where the sweep runs. */
  message_lost: 0.1,
  process_killed_at_crash_point: 0.3,
  process_killed_anywhere: 0.03,
  /** A process stands still for up to two minutes; its leases run out under it. */
  process_stalled: 0.04,
  /** The clock of a process is up to 20 s ahead or behind. */
  clock_skewed: 0.3,
  read_failed: 0.03,
  read_slow: 0.1,
  commit_failed: 0.05,
  /** It was written, and the writer was told that it failed. */
  commit_answer_lost: 0.05,
  /** The client sent it again, because the first answer was lost, and was refused by its own write. */
  commit_repeated: 0.05,
  /** The writer gave up before it was written. */
  commit_late: 0.05,
  /** The same, half an hour after the writer gave up. */
  commit_very_late: 0.02,
  commit_slow: 0.1,
  /** What is big can never be stored: the next stage, or the analysis of a session. */
  commit_refused: 0.5,
  publish_failed: 0.2,
  /** It was published, and the publisher was told that it failed. */
  publish_answer_lost: 0.1,
  /** The client sent it again, because the first answer was lost. */
  publish_doubled: 0.1,
  publish_slow: 0.1,
  /** Several sweeps, or several cancellations, begin at the same moment. */
  sweep_doubled: 0.3,
  cancel_doubled: 0.5,
  model_failed: 0.2,
  model_out_of_quota: 0.1,
  model_slow: 0.2,
  model_hung: 0.3,
  model_blocked: 0.02,
  model_answer_unusable: 0.2,
  /** Our own code throws what is no error of ours. */
  bug: 0.03,
  tool_failed: 0.2,
  tool_slow: 0.2,
  tool_hung: 0.05,
  tool_server_down: 0.1,
} as const;

export type Fault = keyof typeof HIGHEST;

export interface FaultPlan {
  /** Whether nothing goes wrong at all. */
  peaceful: boolean;
  probability: Readonly<Record<Fault, number>>;
  /** Where processes are killed in this run, if they are. */
  crashPoints: ReadonlySet<CrashPoint>;
  /** Which function takes nothing, and when, in milliseconds from the start; null: none. */
  outage: { functionName: FunctionName; fromMs: number; toMs: number } | null;
  /** Whether everything takes the shortest time it may, so that much happens in the same millisecond. */
  lockstep: boolean;
  /** Whether the chain is as big as chains get. */
  big: boolean;
  /** Whether the sweep runs. Without it, redelivery alone must bring every session to its end. */
  sweep: boolean;
  /** Deliveries before a message becomes a dead letter. */
  maxDeliveryAttempts: number;
  /** When the session is cancelled, in milliseconds from the start; null: never. */
  cancelAfterMs: number | null;
  /** Or at what moment, so that it races with what follows. */
  cancelAtPoint: CrashPoint | null;
  deadlineMs: number;
  /** After that nothing goes wrong any more, so that all that can still end does. */
  calmAfterMs: number;
}

export const MINUTE = 60_000;
/** Copies of a message that come at one moment, at most. */
export const MAX_BURST = 8;
/** How far a clock is wrong at most. */
export const MAX_SKEW_MS = 20_000;

export function drawPlan(random: Random): FaultPlan {
  // One run in twenty is left in peace: it shows what the others are measured against.
  const peaceful = random.chance(0.05);
  const sweep = random.chance(0.5);
  const probability = Object.fromEntries(
    Object.entries(HIGHEST).map(([fault, highest]) => {
      const drawn = random.chance(0.5) ? (highest * random.int(1, 100)) / 100 : 0;
      const impossible = fault === 'message_lost' && !sweep;
      return [fault, peaceful || impossible ? 0 : drawn];
    }),
  ) as Record<Fault, number>;
  const points = Object.values(CRASH_POINTS);
  // Some moments are rare: now and then one of them gets all the attention.
  const focused = !peaceful && random.chance(0.3);
  if (focused) probability.process_killed_at_crash_point = 0.7;
  const anyPoint = () => points[random.int(0, points.length - 1)] ?? CRASH_POINTS.afterLoad;
  const rarest = random.chance(0.15) ? CRASH_POINTS.afterCancelRequest : anyPoint();
  const crashPoints = focused ? [rarest] : points.filter(() => random.chance(0.4));
  return {
    peaceful,
    probability,
    crashPoints: new Set(crashPoints),
    outage: random.chance(0.3) ? drawOutage(random) : null,
    lockstep: random.chance(0.1),
    big: random.chance(0.01),
    sweep,
    maxDeliveryAttempts: peaceful ? 20 : random.pick([5, 8, 10, 20, Number.POSITIVE_INFINITY]),
    // Most sessions are over after a minute; some last until their deadline.
    cancelAfterMs: !peaceful && random.chance(0.3) ? random.int(0, random.pick([20_000, 5 * MINUTE])) : null,
    cancelAtPoint:
      !peaceful && random.chance(0.3) ? random.pick([CRASH_POINTS.stageBeforeCommit, anyPoint()]) : null,
    deadlineMs: (peaceful ? 60 : random.pick([4, 15, 40, 60])) * MINUTE,
    calmAfterMs: 60 * MINUTE,
  };
}

/** Most outages hit the work itself, and some last longer than all deliveries of a message. */
function drawOutage(random: Random): FaultPlan['outage'] {
  const functionName = random.pick<FunctionName>([
    'runIteration',
    'runIteration',
    'buryIteration',
    'ingestAlert',
  ]);
  const fromMs = random.int(0, random.pick([1_000, MINUTE]));
  return { functionName, fromMs, toMs: fromMs + random.int(1, 30) * MINUTE };
}

export const FAULTS = Object.keys(HIGHEST) as Fault[];
