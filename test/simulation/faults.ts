// The faults of a run. Each seed draws its own mixture, because faults that always occur together hide the effects of
// single ones.

import type { FunctionName } from '../../functions/manifest.ts';
import { CRASH_POINTS, type CrashPoint } from '../../shared/runtime/kernel/crashPoints.ts';
import type { IncidentRules, SuccessPolicy } from '../../shared/schema/agent.ts';
import type { Upgrade } from './generations.ts';
import type { Random } from './random.ts';

/** The faults, with the highest probability that a seed draws for each opportunity. */
const MAX_PROBABILITY = {
  /** A message is delivered a second time, at the same moment or later. */
  message_duplicated: 0.5,
  /** A delivery does not arrive; the message is redelivered later. */
  delivery_dropped: 0.2,
  /** A delivery arrives late and out of order. */
  delivery_delayed: 0.5,
  /** The function has finished and Pub/Sub does not receive the ack. */
  ack_lost: 0.2,
  /** An acked message is delivered once more, up to eight hours later. */
  acked_again: 0.2,
  /** A function refuses deliveries during its outage. */
  function_down: 1,
  /** A function refuses deliveries above its number of concurrent ones. */
  function_full: 1,
  /** Many copies of a message are delivered at the same moment. */
  message_burst: 0.05,
  /** A message is lost. Only in runs with the sweep. */
  message_lost: 0.1,
  /** A message is lost after a delivery that failed. Only in runs with the sweep. */
  redelivery_lost: 0.05,
  process_killed_at_crash_point: 0.3,
  /** Every run of the sweep dies in the middle, for up to half an hour. */
  sweep_killed: 1,
  /** Every run of the sweep finds what is late and cannot read it, for up to half an hour. */
  sweep_cut_off: 1,
  process_killed_anywhere: 0.03,
  /** A process stalls for up to two minutes while its leases expire. */
  process_stalled: 0.04,
  /** The clock of a process is up to 20 s ahead or behind. */
  clock_skewed: 0.3,
  /** The clock of a process is corrected while it works. */
  clock_jumped: 0.02,
  /** The store answers nothing for up to some minutes. */
  store_down: 1,
  /** One instance does not reach the store for up to a minute, from a commit of an answer or a result on. */
  instance_cut_off: 0.1,
  read_failed: 0.03,
  read_slow: 0.1,
  commit_failed: 0.05,
  /** The commit is written, and the writer gets an error. */
  commit_answer_lost: 0.05,
  /** The client repeats the commit after a lost answer, and is refused because of its own first write. */
  commit_repeated: 0.05,
  /** The commit is written after its writer timed out. */
  commit_late: 0.05,
  /** The commit is written half an hour after its writer timed out. */
  commit_very_late: 0.02,
  commit_slow: 0.1,
  /** A large document can never be stored: the next stage, or the analysis of a session. */
  commit_refused: 0.5,
  /** The same for an answer of the model, or the result of a tool. */
  answer_refused: 0.02,
  /** Another program rewrites a document right before a commit that replaces it, which is refused. */
  document_rewritten: 0.03,
  /** Documents of older code are migrated while the functions run. */
  document_outdated: 1,
  /** Older code finds a document of newer code, during a rollout. */
  document_too_new: 1,
  /** Firestore's TTL policy deletes the documents of an open session. */
  document_expired: 1,
  /** An instance keeps nothing of an execution any more. */
  cache_lost: 0.2,
  /** An instance keeps some messages of an execution, any of those that are stored. */
  cache_stale: 0.5,
  /** An instance keeps messages of another execution that had the same id. */
  cache_foreign: 0.2,
  /** An instance keeps wrong messages, one more than the execution has counted. */
  cache_ahead: 0.2,
  publish_failed: 0.2,
  /** The message is published, and the publisher gets an error. */
  publish_answer_lost: 0.1,
  /** The client publishes the message twice, because the first answer was lost. */
  publish_doubled: 0.1,
  publish_slow: 0.1,
  /** Several sweeps or cancellations start at the same moment. */
  sweep_doubled: 0.3,
  cancel_doubled: 0.5,
  model_failed: 0.2,
  model_out_of_quota: 0.1,
  model_slow: 0.2,
  model_hung: 0.3,
  model_blocked: 0.02,
  model_answer_unusable: 0.2,
  /** The project's own code throws an unexpected error. */
  bug: 0.03,
  tool_failed: 0.2,
  /** A result is too long to be shown whole, and takes several commits. */
  result_large: 0.8,
  /** The connection to the server is lost during a call. */
  tool_lost: 0.1,
  tool_slow: 0.2,
  tool_hung: 0.05,
  /** The server cannot be reached, once or for a whole iteration. */
  tool_server_down: 0.5,
} as const;

/** Faults of runs with approvals, likewise. */
const MAX_PROBABILITY_WITH_APPROVALS = {
  /** The server describes its tools differently, for one connection. */
  tool_changed: 0.5,
} as const;

/** Faults of runs in which agents ask others, likewise. */
const MAX_PROBABILITY_WITH_TREES = {
  /** The commit that creates children is written, and its writer hears nothing of it until its time is over. */
  parking_answer_lost: 0.5,
} as const;

/** What follows from other faults, and is counted when it does. */
const CONSEQUENCES = [
  /** An alert is delivered again, and would give its session another id: other rules mask its title. */
  'alert_renamed',
] as const;

/** The name of a fault. */
export type Fault =
  | keyof typeof MAX_PROBABILITY
  | keyof typeof MAX_PROBABILITY_WITH_APPROVALS
  | keyof typeof MAX_PROBABILITY_WITH_TREES
  | (typeof CONSEQUENCES)[number];

/** A period of a run, in milliseconds from its start. */
export interface Period {
  fromMs: number;
  toMs: number;
}

/** From `fromMs` on both versions run, from `backMs` on the older one alone, and from `toMs` on the newer one alone. */
export interface Rollout extends Period {
  backMs: number;
}

/** Kinds of calls that some runs fail often: ends of stages and of executions, answers, reads of executions, tools. */
export type CallKind = 'stage' | 'ending' | 'answer' | 'execution_read' | 'tool';

/** `burst`: each delivery comes five times at one moment. `late`: each message comes four more times within half a minute. */
type Storm = 'burst' | 'late';

/** A fault that is frequent for one kind of call. */
interface Focus {
  calls: CallKind;
  fault: Fault;
}

/** The faults of one run. */
export interface FaultPlan {
  /** Whether the run has no faults. */
  peaceful: boolean;
  probability: Readonly<Record<Fault, number>>;
  /** Faults that are frequent for one kind of call, because these calls are rare, or hit the protocol only together. */
  focus: Focus[];
  /** Number of alerts, and so of sessions. */
  sessions: number;
  /** The crash points at which processes may be killed. */
  crashPoints: ReadonlySet<CrashPoint>;
  /** The function that refuses deliveries, and when, in milliseconds from the start; null for none. */
  outage: ({ functionName: FunctionName } & Period) | null;
  /** The largest deviation of a clock, in milliseconds. */
  maxSkewMs: number;
  /** How many instances of each function take turns. */
  instances: number;
  /** Bytes of the messages that an instance keeps. */
  cacheBytes: number;
  /** How many deliveries `runIteration` handles at the same time. */
  maxConcurrent: number;
  /** When the store does not answer; null for never. */
  storeOutage: Period | null;
  /** When no model answers, and whether nothing else is wrong; null for never. */
  modelOutage: (Period & { alone: boolean }) | null;
  /** The quota of each model for all instances; null for none. */
  quota: { rpm: number; tpm: number | undefined } | null;
  /** When every run of the sweep dies or fails in the middle; null for never. */
  sweepOutage: Period | null;
  /** When newer code is deployed; null for never. */
  rollout: Rollout | null;
  /** Which documents have another form after the rollout. */
  upgrade: Upgrade;
  /** When `inquest deploy` is run, which pauses the installation, and how long it replaces services; null for never. */
  deployment: { afterMs: number; takesMs: number } | null;
  /** When documents are migrated, in milliseconds from the start; null when none are outdated. */
  migrateAfterMs: number | null;
  /** When the documents of the first session begin to be deleted; null for never. */
  expireAfterMs: number | null;
  /** Whether every duration is the shortest possible, so that many events share a millisecond. */
  lockstep: boolean;
  /** Whether the chain has the maximum size. */
  big: boolean;
  /** Whether agents have tools that need a person's approval. */
  approvals: boolean;
  /** Whether people tell, pause and resume sessions. */
  steered: boolean;
  /** Whether operators pause the whole installation. */
  systemPaused: boolean;
  /** Whether people watch sessions, so that what models say is written while they speak. */
  watched: boolean;
  /** Whether agents ask others. */
  trees: boolean;
  /** Whether people ask about sessions that have ended. */
  asked: boolean;
  /** How many models may take over from an agent's own one. */
  fallback: number;
  /** How many agents a stage has; null for drawn ones. */
  agents: number | null;
  /** Whether sessions have an executive summary. */
  summary: boolean;
  /** Whether stages have calls made before their agents are asked. */
  collect: boolean;
  /** Whether agents keep a ledger, so that claims are checked; a chain that has a confirmed cause stops. */
  ledger: boolean;
  /** Whether many related alerts arrive at once. */
  related: boolean;
  /** The rules of problems whose related alerts people split and merge; null in other runs. */
  grouped: IncidentRules | null;
  /** Whether a schedule, changes and programs request checks. */
  checks: boolean;
  /** Whether agents name calls that are repeated after the end of their session. */
  probes: boolean;
  /** What becomes of further alerts of the same problem, in all chains; null when each problem is reported once. */
  incidents: IncidentRules | null;
  /** When a stage has completed, in all chains of the run. */
  successPolicy: SuccessPolicy;
  /** How long a stage may take; null for as long as its session. */
  stageTimeoutMs: number | null;
  /** Whether the sweep runs. Without it, redelivery alone must end every session. */
  sweep: boolean;
  /** Copies in which every message is delivered; null for only those of single faults. */
  storm: Storm | null;
  /** Deliveries before a message becomes a dead letter. */
  maxDeliveryAttempts: number;
  /** When the session is cancelled, in milliseconds from the start; null for never. */
  cancelAfterMs: number | null;
  /** The crash point at which the session is cancelled, to race with the steps after it; null for none. */
  cancelAtPoint: CrashPoint | null;
  /** Whether the session is cancelled as soon as a call of it waits for approval. */
  cancelAtApproval: boolean;
  deadlineMs: number;
  /** How many sessions alerts may open within an hour; null for no limit. */
  sessionsPerHour: number | null;
  /** Budgets of tokens; null for none. */
  tokens: { session: number; day: number | null } | null;
  /** When users start a session that was deferred, in milliseconds from the start; null for never. */
  startDeferredAfterMs: number | null;
  /** After this time no fault occurs, so that every session can end. */
  calmAfterMs: number;
}

/** One minute in milliseconds. */
export const MINUTE = 60_000;
/** The largest number of copies in a burst. */
export const MAX_BURST = 8;
/** The largest deviation of a clock in most runs, in milliseconds. */
const USUAL_SKEW_MS = 20_000;
/** The same where clocks are as far apart as reliability.md allows, which is five minutes. */
const LARGEST_SKEW_MS = 2.5 * MINUTE;

/** Deadlines of sessions, in minutes. */
const LONG_DEADLINES = [4, 15, 40, 60] as const;

/** Draws the faults of a run. */
export function drawPlan(random: Random): FaultPlan {
  // One run in twenty has no faults and must complete.
  const peaceful = random.chance(0.05);
  const sweep = random.chance(0.5);
  const probability = Object.fromEntries(
    Object.entries(MAX_PROBABILITY).map(([fault, highest]) => {
      const drawn = random.chance(0.5) ? (highest * random.int(1, 100)) / 100 : 0;
      const impossible = (fault === 'message_lost' || fault === 'redelivery_lost') && !sweep;
      return [fault, peaceful || impossible ? 0 : drawn];
    }),
  ) as Record<Fault, number>;
  const focus = !peaceful && random.chance(0.4) ? drawFocus(random) : [];
  // Copies at the same moment, whose reads lie before and after the work of a process that gives its lease back.
  if (focus.some(({ calls }) => calls === 'execution_read')) {
    probability.message_burst = 0.8;
    // Only instances that keep nothing read execution and messages at the same time.
    Object.assign(probability, { cache_lost: 1, cache_stale: 0, cache_foreign: 0, cache_ahead: 0 });
  }
  // Within a minute or two few sessions are over, so that executions are ended by others than their holders.
  const deadlines = focus.some(({ calls }) => calls === 'ending') ? ([1, 2, 4] as const) : LONG_DEADLINES;
  const storeOutage = !peaceful && random.chance(0.2) ? drawPeriod(random, 5 * MINUTE) : null;
  if (storeOutage !== null) probability.store_down = 1;
  const sweepOutage = !peaceful && sweep && random.chance(0.25) ? drawSweepOutage(random) : null;
  const rollout = !peaceful && random.chance(0.15) ? drawRollout(random) : null;
  if (sweepOutage !== null) {
    const isKilled = random.chance(0.35);
    Object.assign(probability, { sweep_killed: isKilled ? 1 : 0, sweep_cut_off: isKilled ? 0 : 1 });
  }
  // What no message continues is left to the next runs of the sweep.
  if (sweep && (sweepOutage ?? rollout) !== null)
    probability.redelivery_lost = sweepOutage === null ? 0.8 : 1;
  const points = Object.values(CRASH_POINTS);
  // Some crash points are reached rarely, so some runs kill at a single one with high probability.
  const focused = !peaceful && (sweepOutage !== null || random.chance(0.3));
  if (focused) probability.process_killed_at_crash_point = 0.7;
  const anyPoint = () => points[random.int(0, points.length - 1)] ?? CRASH_POINTS.afterLoad;
  const rarest = random.chance(0.15) ? CRASH_POINTS.afterCancelRequest : anyPoint();
  // Of what the sweep alone continues most is a stage that was to be advanced.
  const unadvanced = random.pick([CRASH_POINTS.afterEnding, CRASH_POINTS.stageBeforeCommit]);
  const focusedPoint = sweepOutage === null ? rarest : unadvanced;
  const diesCancelling = focused && focusedPoint === CRASH_POINTS.afterCancelRequest;
  const crashPoints = focused ? [focusedPoint] : points.filter(() => random.chance(0.4));
  return {
    peaceful,
    probability,
    crashPoints: new Set(crashPoints),
    focus,
    sessions: random.pick([1, 1, 1, 2, 3]),
    outage: random.chance(0.3) ? drawOutage(random) : null,
    maxSkewMs: USUAL_SKEW_MS,
    instances: random.pick([1, 2, 3]),
    cacheBytes: random.chance(0.2) ? random.int(0, 30_000) : Number.POSITIVE_INFINITY,
    maxConcurrent: random.chance(0.3) ? random.int(1, 3) : Number.POSITIVE_INFINITY,
    storeOutage,
    rollout,
    upgrade: 'next_and_control',
    deployment: null,
    sweepOutage,
    modelOutage: null,
    quota: null,
    migrateAfterMs: !peaceful && random.chance(0.2) ? random.int(0, MINUTE) : null,
    expireAfterMs: !peaceful && random.chance(0.05) ? random.int(1_000, 2 * MINUTE) : null,
    lockstep: random.chance(0.1),
    big: random.chance(0.01),
    approvals: false,
    steered: false,
    systemPaused: false,
    watched: false,
    trees: false,
    asked: false,
    fallback: 0,
    agents: null,
    summary: false,
    collect: false,
    ledger: false,
    probes: false,
    checks: false,
    related: false,
    grouped: null,
    incidents: null,
    successPolicy: 'any',
    stageTimeoutMs: null,
    sweep,
    storm: null,
    maxDeliveryAttempts: peaceful ? 20 : random.pick([5, 8, 10, 20, Number.POSITIVE_INFINITY]),
    // Most sessions are over after a minute; some last until their deadline.
    cancelAfterMs:
      diesCancelling || (!peaceful && random.chance(0.3))
        ? random.int(0, random.pick([20_000, 5 * MINUTE]))
        : null,
    cancelAtPoint:
      !peaceful && random.chance(0.3) ? random.pick([CRASH_POINTS.stageBeforeCommit, anyPoint()]) : null,
    cancelAtApproval: false,
    deadlineMs: (peaceful ? 60 : random.pick<number>(deadlines)) * MINUTE,
    sessionsPerHour: null,
    tokens: null,
    startDeferredAfterMs: null,
    calmAfterMs: 60 * MINUTE,
  };
}

/** Adds approvals to some plans. Their random numbers are apart, so that all other runs are what they are without them. */
export function withApprovals(plan: FaultPlan, random: Random): FaultPlan {
  if (!random.chance(0.4)) return plan;
  const tool_changed = plan.peaceful ? 0 : MAX_PROBABILITY_WITH_APPROVALS.tool_changed * random.int(0, 1);
  // Nothing but the sweep settles a call that waited in vain.
  const approving = { ...plan, approvals: true, sweep: true };
  const probability = { ...plan.probability, tool_changed };
  const rare = plan.peaceful
    ? 'none'
    : random.pick(['none', 'cancelled_before', 'cancelled_after', 'cancelled_after', 'cut_off']);
  if (rare === 'none') return { ...approving, probability };
  const often = { ...probability, process_killed_at_crash_point: 0.7 };
  const dying = { ...approving, probability: often };
  if (rare === 'cut_off') return { ...dying, crashPoints: new Set([CRASH_POINTS.duringTool]) };
  // Cancelled while a call waits, or comes to wait, by a process that dies before it ends the session.
  const crashPoints = new Set([CRASH_POINTS.afterCancelRequest]);
  return rare === 'cancelled_before'
    ? { ...dying, crashPoints, cancelAtPoint: CRASH_POINTS.afterCommitA }
    : { ...dying, crashPoints, cancelAtPoint: null, cancelAfterMs: null, cancelAtApproval: true };
}

/**
 * The plan of a seed whose processes die among calls that change something, which two of ten have. Nothing is drawn for it.
 */
export function withCutOffCalls(plan: FaultPlan, seed: number): FaultPlan {
  if (plan.peaceful) return plan;
  const dying: FaultPlan = {
    ...plan,
    approvals: true,
    sweep: true,
    outage: null,
    storeOutage: null,
    cancelAfterMs: null,
    cancelAtPoint: null,
    cancelAtApproval: false,
    deadlineMs: 40 * MINUTE,
  };
  switch (seed % 10) {
    case 2: {
      // A server is away when an answer is stored, and back after a death. Nothing else is wrong.
      const often = { tool_server_down: 0.4, process_killed_at_crash_point: 0.5 };
      const probability = { ...none(plan.probability), ...often };
      const crashPoints = new Set<CrashPoint>([CRASH_POINTS.afterCommitA, CRASH_POINTS.beforeTool]);
      return { ...dying, probability, crashPoints, focus: [], sessions: 3, agents: 3 };
    }
    case 4: {
      const often = { process_killed_at_crash_point: 0.5, redelivery_lost: 0, tool_changed: 0 };
      const probability = { ...plan.probability, ...often };
      return { ...dying, probability, crashPoints: new Set<CrashPoint>([CRASH_POINTS.duringTool]) };
    }
    default:
      return plan;
  }
}

/**
 * Has people steer the sessions of every third seed, but for those that end with a 1. What they do is drawn apart, so that
 * all other runs stay what they are.
 */
export function withSteering(plan: FaultPlan, seed: number): FaultPlan {
  if (seed % 3 !== 2 || seed % 10 === 1) return plan;
  // Nothing but the sweep ends a session that stays paused.
  const steered: FaultPlan = { ...plan, steered: true, sweep: true };
  if (plan.peaceful) return steered;
  // What a resumption publishes is still on its way when the sweep looks.
  if (seed % 2 === 0) return { ...steered, probability: { ...plan.probability, delivery_delayed: 0.5 } };
  // A resumption is rare, and what follows its death is to be seen: nothing else is wrong.
  const often = { delivery_delayed: 0.5, process_killed_at_crash_point: 0.5 };
  return {
    ...steered,
    probability: { ...none(plan.probability), ...often },
    crashPoints: new Set<CrashPoint>([CRASH_POINTS.afterResumeRequest]),
    focus: [],
    sessions: 3,
    outage: null,
    storeOutage: null,
    cancelAfterMs: null,
    cancelAtPoint: null,
    cancelAtApproval: false,
    deadlineMs: 40 * MINUTE,
  };
}

/** Seeds that are watched, by the rest of a division by 22: none of the seeds that notice other faults is among them. */
const WATCHED_SEEDS = [9, 21];

/** Has people watch the sessions of one seed in eleven. When they do is drawn apart, so that other runs stay what they are. */
export function withWatchers(plan: FaultPlan, seed: number): FaultPlan {
  return { ...plan, watched: WATCHED_SEEDS.includes(seed % 22) };
}

/** The plan of a seed with a budget of sessions, which every tenth has. Nothing is drawn for it. */
export function withBudget(plan: FaultPlan, seed: number): FaultPlan {
  if (seed % 10 !== 3) return plan;
  const sessionsPerHour = 1 + (Math.floor(seed / 10) % 2);
  // Without the sweep a start whose process dies before it publishes needs someone to try again.
  const isStarted = plan.sweep && Math.floor(seed / 10) % 3 !== 0;
  return { ...plan, sessions: 3, sessionsPerHour, startDeferredAfterMs: isStarted ? MINUTE : null };
}

/**
 * The plan of a seed whose agents have fallback models, which every tenth has: models fail often, and processes die
 * around their calls. Nothing is drawn for it.
 */
export function withFallback(plan: FaultPlan, seed: number): FaultPlan {
  if (seed % 10 !== 0) return plan;
  const fallback = 1 + (Math.floor(seed / 10) % 4);
  if (plan.peaceful) return { ...plan, fallback };
  const often = { model_out_of_quota: 0.3, model_blocked: 0.3, model_failed: 0.2, model_hung: 0.1 };
  const probability = { ...plan.probability, ...often, process_killed_at_crash_point: 0.2 };
  const { afterLoad, afterClaim, duringModelCall, beforeCommitA, beforeTool, afterCommitB, afterPublish } =
    CRASH_POINTS;
  const points = [
    afterLoad,
    afterClaim,
    duringModelCall,
    beforeCommitA,
    beforeTool,
    afterCommitB,
    afterPublish,
  ];
  return { ...plan, fallback, probability, crashPoints: new Set([...plan.crashPoints, ...points]) };
}

/**
 * The plan of a seed with a race that is rare in others, which eleven of twenty have. Nothing is drawn for it.
 */
export function withRareRaces(plan: FaultPlan, seed: number): FaultPlan {
  if (plan.peaceful) return plan;
  const { probability } = plan;
  switch (seed % 10) {
    case 1:
      // Executions are ended by others than their holders, and rewritten at that moment.
      return { ...plan, focus: [{ calls: 'ending', fault: 'document_rewritten' }], deadlineMs: MINUTE };
    case 8: {
      // Nobody but the sweep is left to advance a stage, and it cannot read, or dies for longer than it looks back.
      const often = { process_killed_at_crash_point: 0.7, redelivery_lost: 0.9, read_failed: 0.2 };
      const dies = { ...often, redelivery_lost: 1, sweep_killed: 1, sweep_cut_off: 0 };
      const sweepOutage = seed % 20 === 8 ? { fromMs: 20_000, toMs: 25 * MINUTE } : plan.sweepOutage;
      const higher = seed % 20 === 8 ? dies : often;
      const crashPoints = new Set<CrashPoint>([CRASH_POINTS.afterEnding]);
      return { ...plan, probability: { ...probability, ...higher }, sweepOutage, crashPoints, sweep: true };
    }
    case 5: {
      if (seed % 20 === 5) return plan;
      // Executions are read slowly by many copies at once, while they are given back. Nothing else is wrong.
      const often = { message_burst: 0.8, cache_lost: 1 };
      return {
        ...plan,
        probability: { ...none(probability), ...often },
        focus: [
          { calls: 'execution_read', fault: 'read_slow' },
          { calls: 'tool', fault: 'bug' },
        ],
        sessions: 3,
        outage: null,
        storeOutage: null,
        cancelAfterMs: null,
        cancelAtPoint: null,
        deadlineMs: 40 * MINUTE,
      };
    }
    case 6: {
      // An instance does not reach the store until its lease has run out, and goes on after another one has taken over.
      const cache = { cache_lost: 0, cache_stale: 0, cache_foreign: 0, cache_ahead: 0 };
      return {
        ...plan,
        probability: { ...probability, ...cache, instance_cut_off: 0.3, process_killed_anywhere: 0 },
        crashPoints: new Set(),
        instances: 2,
        cacheBytes: Number.POSITIVE_INFINITY,
        outage: null,
        cancelAfterMs: null,
        deadlineMs: 40 * MINUTE,
        maxDeliveryAttempts: 20,
      };
    }
    case 7: {
      // A process dies while it stores a large result.
      const often = { result_large: 0.8, process_killed_at_crash_point: 0.5 };
      const crashPoints = new Set<CrashPoint>([CRASH_POINTS.duringResultParts]);
      return { ...plan, probability: { ...probability, ...often }, crashPoints };
    }
    case 9:
      // Another program rewrites the stage that is to be advanced.
      return { ...plan, focus: [{ calls: 'stage', fault: 'document_rewritten' }] };
    default:
      return plan;
  }
}

/**
 * The plan of a seed with the policy of its stages, which is `all` for every fourth, and with a time for them, which every
 * tenth has. Nothing is drawn for it.
 */
export function withPolicy(plan: FaultPlan, seed: number): FaultPlan {
  const successPolicy = seed % 4 === 1 ? 'all' : 'any';
  return {
    ...plan,
    successPolicy,
    stageTimeoutMs: !plan.peaceful && !plan.steered && seed % 10 === 5 ? 2 * MINUTE : null,
  };
}

/** The plan of a seed whose clocks are up to five minutes apart, which every sixteenth has. Nothing is drawn for it. */
export function withClocks(plan: FaultPlan, seed: number): FaultPlan {
  if (seed % 16 !== 4 || plan.peaceful || plan.incidents !== null) return plan;
  const probability = { ...plan.probability, clock_skewed: 0.8, clock_jumped: 0.02 };
  return { ...plan, probability, maxSkewMs: LARGEST_SKEW_MS };
}

/** The plan of a seed whose stages collect, which every seventh does. Nothing is drawn for it. */
export function withCollect(plan: FaultPlan, seed: number): FaultPlan {
  if (seed % 7 !== 4) return plan;
  if (plan.peaceful) return { ...plan, collect: true };
  // Processes die among the calls, of which a run has only a few.
  const { afterClaim, beforeCommitA, afterCommitA, beforeTool, afterTool, beforeCommitB, afterCommitB } =
    CRASH_POINTS;
  const points = [
    afterClaim,
    beforeCommitA,
    afterCommitA,
    beforeTool,
    afterTool,
    beforeCommitB,
    afterCommitB,
  ];
  const killed = Math.max(plan.probability.process_killed_at_crash_point, 0.1);
  return {
    ...plan,
    collect: true,
    probability: {
      ...plan.probability,
      process_killed_at_crash_point: killed,
      tool_hung: 0.1,
      tool_lost: 0.1,
    },
    crashPoints: new Set([...plan.crashPoints, ...points]),
  };
}

/** Seeds whose agents ask others, by the rest of a division by 13: few of the seeds that notice other faults are among them. */
const TREE_SEEDS = [0, 6, 7, 10];

/**
 * The plan of a seed whose tools hang often, which every seventeenth has. Nothing else is wrong, and nothing is drawn for it.
 */
export function withSlowTools(plan: FaultPlan, seed: number): FaultPlan {
  if (plan.peaceful || seed % 17 !== 5 || TREE_SEEDS.includes(seed % 13)) return plan;
  const probability = { ...none(plan.probability), tool_hung: 0.7, tool_slow: 0.5 };
  return {
    ...plan,
    probability,
    focus: [],
    cancelAfterMs: null,
    cancelAtPoint: null,
    deadlineMs: 60 * MINUTE,
  };
}

/**
 * The plan of a seed whose models answer nothing for half an hour, which every ninth has: with nothing else wrong, or with
 * what it has. Only the sweep ends long pauses. Nothing is drawn for it.
 */
export function withModelOutage(plan: FaultPlan, seed: number): FaultPlan {
  if (plan.peaceful || seed % 9 !== 4 || plan.steered || plan.expireAfterMs !== null) return plan;
  // What trees meet is rare enough, and the first seeds show all of it.
  if (TREE_SEEDS.includes(seed % 13) && (seed % 2 === 0 || seed <= 200)) return plan;
  const fromMs = (seed % 7) * 5_000;
  const alone = seed % 2 === 0;
  const modelOutage = { fromMs, toMs: fromMs + 30 * MINUTE, alone };
  const during: FaultPlan = { ...plan, modelOutage, sweep: true, fallback: 0 };
  if (!alone) return during;
  return {
    ...during,
    probability: none(plan.probability),
    focus: [],
    sessions: 3,
    outage: null,
    storeOutage: null,
    sweepOutage: null,
    rollout: null,
    deployment: null,
    migrateAfterMs: null,
    cancelAfterMs: null,
    cancelAtPoint: null,
    cancelAtApproval: false,
    approvals: false,
    deadlineMs: 15 * MINUTE,
    stageTimeoutMs: null,
  };
}

/** The plan of a seed with questions, which every sixth has that has a sweep. Nothing is drawn for it. */
export function withChat(plan: FaultPlan, seed: number): FaultPlan {
  return { ...plan, asked: plan.sweep && seed % 6 === 1 };
}

/**
 * Has sources report the problems of every eighth seed often. What they report is drawn apart, so that all other runs stay
 * what they are. The sweep begins what a settle window keeps waiting.
 */
export function withIncidents(plan: FaultPlan, seed: number): FaultPlan {
  const isOther =
    plan.sessionsPerHour !== null || plan.expireAfterMs !== null || plan.migrateAfterMs !== null;
  if (seed % 8 !== 7 || isOther) return plan;
  const incidents = incidentRulesOf(plan.peaceful, seed);
  // Of several problems at once, all but one wait for the budget of the next hour.
  const budget = seed % 32 === 23 ? { sessions: 3, sessionsPerHour: 1 } : {};
  const reporting: FaultPlan = { ...plan, ...budget, incidents, sweep: true };
  if (plan.peaceful) return reporting;
  // Reports overtake each other and come twice, and processes die between counting one and doing what it asks for.
  const often = {
    delivery_delayed: 0.3,
    message_duplicated: 0.3,
    message_burst: 0.05,
    ack_lost: 0.2,
    process_killed_at_crash_point: 0.3,
  };
  const { ingestBeforeCommit, ingestAfterCommit, ingestAfterPublish, afterCancelRequest } = CRASH_POINTS;
  const ingest = [ingestBeforeCommit, ingestAfterCommit, ingestAfterPublish];
  const crashPoints = new Set<CrashPoint>([...ingest, afterCancelRequest]);
  const probability = { ...plan.probability, ...often };
  return { ...reporting, probability, crashPoints, cancelAfterMs: null, cancelAtPoint: null };
}

/**
 * The plan of a seed whose agents keep a ledger: nearly one of ten, none of which was needed for another fault. Executions
 * that check claims have the same id in every session, so it has one. Nothing is drawn for it.
 */
export function withLedger(plan: FaultPlan, seed: number): FaultPlan {
  const isOne = plan.incidents === null && (seed % 19 === 6 || seed % 23 === 4);
  if (!isOne) return plan;
  const kept: FaultPlan = { ...plan, sessions: 1, ledger: true };
  if (seed % 3 === 2) return kept;
  // One agent has the time to confirm a cause, while processes die.
  const killed = plan.peaceful ? 0 : Math.max(plan.probability.process_killed_at_crash_point, 0.05);
  return {
    ...kept,
    agents: 1,
    deadlineMs: 60 * MINUTE,
    stageTimeoutMs: null,
    cancelAfterMs: null,
    cancelAtPoint: null,
    probability: { ...plan.probability, process_killed_at_crash_point: killed, model_hung: 0, bug: 0 },
  };
}

/** The plan of a seed with executive summaries, which every fifth has. Nothing is drawn for it. */
export function withSummary(plan: FaultPlan, seed: number): FaultPlan {
  return { ...plan, summary: seed % 5 === 0 };
}

/**
 * The plan of a seed whose agents ask others, which four of thirteen have: without more than it has, or with what meets
 * the waits for children. Nothing is drawn for it.
 */
export function withTrees(plan: FaultPlan, seed: number): FaultPlan {
  if (!TREE_SEEDS.includes(seed % 13)) return plan;
  // Nothing but the sweep ends a child whose message was lost with its parent's.
  const probability = { ...plan.probability, parking_answer_lost: 0 };
  const trees: FaultPlan = { ...plan, probability, trees: true, sweep: true };
  if (plan.peaceful) return trees;
  const { afterParking, afterEnding, afterCommitB, beforeCommitA, beforeTool } = CRASH_POINTS;
  const often = (higher: Partial<FaultPlan['probability']>, change: Partial<FaultPlan> = {}): FaultPlan => ({
    ...trees,
    ...change,
    probability: { ...probability, ...higher },
    deadlineMs: 40 * MINUTE,
    storeOutage: null,
    outage: null,
    expireAfterMs: null,
  });
  switch (Math.floor(seed / 13) % 8) {
    case 0:
      return often({ process_killed_at_crash_point: 0.5 }, { crashPoints: new Set([afterParking]) });
    case 1:
      return often(
        { process_killed_at_crash_point: 0.3, answer_refused: 0.4, tool_server_down: 0.4, tool_changed: 0 },
        { crashPoints: new Set([afterEnding, afterCommitB, beforeTool]), approvals: true },
      );
    case 2:
      // Slow commits of both, so that either may be the first. Nothing else is wrong.
      return often(
        { ...none(probability), commit_slow: 0.7 },
        { cancelAtPoint: beforeCommitA, cancelAfterMs: null, focus: [], sessions: 3, agents: 3 },
      );
    case 3:
      // Every answer takes the shortest time, so that children end in the same moment.
      return often({}, { lockstep: true });
    case 4:
      // A copy publishes the child, whose result is there before the holder knows that it waits.
      return often(
        { ...MAX_PROBABILITY_WITH_TREES, message_duplicated: 0.9, message_burst: 0.1, model_slow: 0 },
        { lockstep: true },
      );
    case 5:
    case 6:
      // Messages of children are lost, and the session is over before the sweep has found them.
      return {
        ...often(
          {
            process_killed_at_crash_point: 0.5,
            process_killed_anywhere: 0,
            message_lost: 0.5,
            redelivery_lost: 0.5,
            model_hung: 0,
            model_slow: 0,
            commit_slow: 0.3,
          },
          { crashPoints: new Set([afterParking]), sessions: 3, agents: 3 },
        ),
        deadlineMs: 4 * MINUTE,
      };
    default:
      // A holder whose clock is behind goes on when the child's time is over for all others.
      return often(
        { clock_skewed: 1, model_slow: 0.5, process_killed_at_crash_point: 0 },
        { cancelAfterMs: null, cancelAtPoint: null },
      );
  }
}

/**
 * Changes a plan so that processes die at one crash point often, in chains whose stages have three replicas and one policy.
 * Nothing else is wrong, so that what is seen is seen because of that point.
 */
export function killingAt(point: CrashPoint, successPolicy: SuccessPolicy): (plan: FaultPlan) => FaultPlan {
  const ends: CrashPoint[] = [CRASH_POINTS.afterCancelRequest, CRASH_POINTS.beforeEnding];
  return (plan) => ({
    ...plan,
    peaceful: false,
    probability: {
      ...none(plan.probability),
      process_killed_at_crash_point: 0.5,
      model_blocked: 0.1,
      result_large: point === CRASH_POINTS.duringResultParts ? 0.5 : 0,
    },
    focus: [],
    crashPoints: new Set([point]),
    agents: 3,
    summary: true,
    asked: true,
    successPolicy,
    fallback: 0,
    // A pause takes longer than that.
    stageTimeoutMs: point === CRASH_POINTS.afterResumeRequest ? null : 2 * MINUTE,
    outage: null,
    storeOutage: null,
    modelOutage: null,
    sweepOutage: null,
    rollout: null,
    deployment: null,
    migrateAfterMs: null,
    expireAfterMs: null,
    sessionsPerHour: null,
    tokens: null,
    startDeferredAfterMs: null,
    big: false,
    incidents: null,
    steered: point === CRASH_POINTS.afterResumeRequest,
    trees: point === CRASH_POINTS.afterParking,
    sweep: true,
    cancelAfterMs: ends.includes(point) ? 5_000 : null,
    cancelAtPoint: null,
    cancelAtApproval: false,
    deadlineMs: 40 * MINUTE,
  });
}

/** Storms by the rest of a division by 50, each with and without the sweep. */
const STORMS: Partial<Record<number, Pick<FaultPlan, 'storm' | 'sweep'>>> = {
  4: { storm: 'burst', sweep: false },
  14: { storm: 'late', sweep: false },
  24: { storm: 'burst', sweep: true },
  34: { storm: 'late', sweep: true },
};

/**
 * The plan of a seed whose messages all come in copies, which four of fifty have, while processes die around the commits
 * that a message follows. Nothing is drawn for it.
 */
export function withStorm(plan: FaultPlan, seed: number): FaultPlan {
  const storm = STORMS[seed % 50];
  if (storm === undefined || plan.peaceful || plan.incidents !== null || plan.steered) return plan;
  return storming(storm)(plan);
}

/** Changes a plan so that all messages come in copies. Beside that processes die around commits, and publications fail. */
export function storming(storm: Pick<FaultPlan, 'storm' | 'sweep'>): (plan: FaultPlan) => FaultPlan {
  const { afterCommitB, afterPublish, afterEnding, stageAfterCommit, ingestAfterCommit, afterParking } =
    CRASH_POINTS;
  return (plan) => ({
    ...plan,
    peaceful: false,
    incidents: null,
    storm: storm.storm,
    // Some plans have what only the sweep continues.
    sweep: storm.sweep || [plan.approvals, plan.trees, plan.asked, plan.steered].includes(true),
    probability: {
      ...none(plan.probability),
      // Copies of a message come while its successor is on its way.
      delivery_delayed: 0.9,
      publish_failed: 0.05,
      process_killed_at_crash_point: 0.1,
      model_slow: 0.1,
    },
    focus: [],
    startDeferredAfterMs: null,
    crashPoints: new Set([
      afterCommitB,
      afterPublish,
      afterEnding,
      stageAfterCommit,
      ingestAfterCommit,
      afterParking,
    ]),
    outage: null,
    storeOutage: null,
    sweepOutage: null,
    rollout: null,
    deployment: null,
    migrateAfterMs: null,
    expireAfterMs: null,
    cancelAfterMs: null,
    cancelAtPoint: null,
    cancelAtApproval: false,
    deadlineMs: 40 * MINUTE,
  });
}

/** No fault at all. */
function none(probability: FaultPlan['probability']): FaultPlan['probability'] {
  return Object.fromEntries(Object.keys(probability).map((fault) => [fault, 0])) as Record<Fault, number>;
}

/** Draws an outage. Most affect `runIteration`, and some last longer than all deliveries of a message. */
function drawOutage(random: Random): FaultPlan['outage'] {
  const functionName = random.pick<FunctionName>([
    'runIteration',
    'runIteration',
    'buryIteration',
    'ingestAlert',
  ]);
  return { functionName, ...drawPeriod(random, 30 * MINUTE) };
}

/** Draws when runs of the sweep die: for longer than the next ones look back beyond its mark. */
function drawSweepOutage(random: Random): Period {
  const fromMs = random.int(0, MINUTE);
  return { fromMs, toMs: fromMs + random.int(8, 30) * MINUTE };
}

/** Draws a period that begins within the first minute, when most sessions are at work. */
function drawPeriod(random: Random, longestMs: number): Period {
  const fromMs = random.int(0, random.pick([1_000, MINUTE]));
  return { fromMs, toMs: fromMs + random.int(5_000, longestMs) };
}

function drawRollout(random: Random): Rollout {
  const period = drawPeriod(random, 20 * MINUTE);
  return { ...period, backMs: random.chance(0.5) ? random.int(period.fromMs, period.toMs) : period.toMs };
}

function drawFocus(random: Random): Focus[] {
  if (random.chance(0.5)) {
    return [
      { calls: 'execution_read', fault: 'read_slow' },
      { calls: 'tool', fault: 'bug' },
    ];
  }
  const calls = random.pick<CallKind>(['stage', 'stage', 'ending', 'ending', 'answer']);
  const fault = random.pick<Fault>([
    'document_rewritten',
    'document_rewritten',
    'commit_failed',
    'commit_answer_lost',
    'commit_repeated',
    'commit_late',
  ]);
  return [{ calls, fault }];
}

/** The rules of a run's chains. Each kind has its turn, because what they do together hides what one does. */
function incidentRulesOf(peaceful: boolean, seed: number): IncidentRules {
  const kinds: [IncidentRules, ...IncidentRules[]] = [
    { settleMs: 0, onResolved: 'stop', coolDownMs: 600_000, reinvestigateAfterMs: 60 * MINUTE },
    { settleMs: 20_000, onResolved: 'finish', coolDownMs: 600_000, reinvestigateAfterMs: 15 * MINUTE },
    { settleMs: 0, onResolved: 'finish', coolDownMs: 60_000, reinvestigateAfterMs: 20 * MINUTE },
    { settleMs: 5_000, onResolved: 'stop', coolDownMs: 0, reinvestigateAfterMs: 10 * MINUTE },
  ];
  const rules = kinds[Math.floor(seed / 8) % kinds.length] ?? kinds[0];
  return peaceful ? { ...rules, onResolved: 'finish' } : rules;
}

/** The names of all faults. */
export const FAULTS = [
  ...Object.keys({ ...MAX_PROBABILITY, ...MAX_PROBABILITY_WITH_APPROVALS, ...MAX_PROBABILITY_WITH_TREES }),
  ...CONSEQUENCES,
] as Fault[];
