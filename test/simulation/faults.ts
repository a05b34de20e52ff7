// The faults of a run. Each seed draws its own mixture, because faults that always occur together hide the
// effects of single ones.

import type { FunctionName } from '../../functions/manifest.ts';
import { CRASH_POINTS, type CrashPoint } from '../../shared/core/kernel/crashPoints.ts';
import type { IncidentRules, SuccessPolicy } from '../../shared/core/schema/agent.ts';
import type { Random } from '../../shared/engine/testing/random.ts';
import type { Upgrade } from './generations.ts';

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
export const MAX_PROBABILITY_WITH_APPROVALS = {
  /** The server describes its tools differently, for one connection. */
  tool_changed: 0.5,
} as const;

/** Faults of runs in which agents ask others, likewise. */
export const MAX_PROBABILITY_WITH_TREES = {
  /** The commit with children is written, and its writer hears nothing until its time is over. */
  parking_answer_lost: 0.5,
} as const;

/** Faults of runs whose claims lose their answers, likewise. */
export const MAX_PROBABILITY_WITH_LOST_CLAIMS = {
  /** The answer of an iteration's claim is lost, and those of its next two claims. */
  claim_answer_lost: 0.7,
} as const;

/** Faults of runs whose models answer in the background, likewise. */
export const MAX_PROBABILITY_WITH_BACKGROUND = {
  /** A question does not arrive, and its sender hears nothing. */
  create_lost: 0.1,
  /** A question is accepted, and its sender hears nothing: at once, or until its time is over. */
  create_answer_lost: 0.2,
  create_hung: 0.1,
  /** The webhook comes before the answer to the question. */
  webhook_early: 0.2,
  webhook_doubled: 0.3,
  webhook_lost: 0.3,
  /** It comes up to an hour late, when the sweep has had the answer read. */
  webhook_late: 0.2,
  /** The question ends in a status without an event. */
  thought_without_event: 0.2,
  thought_failed: 0.1,
  /** The model has lost the question. */
  thought_lost: 0.1,
  thought_unreadable: 0.1,
  /** A deletion is not done, or its answer is lost. */
  deletion_lost: 0.3,
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
  | keyof typeof MAX_PROBABILITY_WITH_LOST_CLAIMS
  | keyof typeof MAX_PROBABILITY_WITH_BACKGROUND
  | (typeof CONSEQUENCES)[number];

/** A period of a run, in milliseconds from its start. */
export interface Period {
  fromMs: number;
  toMs: number;
}

/** From `fromMs` both versions run, from `backMs` only the older, from `toMs` only the newer. */
export interface Rollout extends Period {
  backMs: number;
}

/** Calls that some runs fail often: ends of stages and executions, answers, reads, tools. */
export type CallKind = 'stage' | 'ending' | 'answer' | 'execution_read' | 'tool';

/** `burst`: five deliveries at one moment. `late`: four more copies within half a minute. */
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
  /** Faults frequent for one kind of call: rare calls, or calls that matter only together. */
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
  /** When `inquest deploy` runs with its pause, and how long it replaces services; or null. */
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
  /** Whether models answer while no function runs. */
  background: boolean;
  /** How many faults the run has at most; null for any number. */
  mostFaults: number | null;
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
  /** Whether rules read what stages collect, and answer where no model does. */
  rules: boolean;
  /** Whether many related alerts arrive at once. */
  related: boolean;
  /** The rules of problems whose related alerts people split and merge; null in other runs. */
  grouped: IncidentRules | null;
  /** Whether a schedule, changes and programs request checks. */
  checks: boolean;
  /** Whether people mention the app outside of sessions. */
  mentions: boolean;
  /** Whether people fork sessions. */
  forks: boolean;
  /** Whether agents name calls that are repeated after the end of their session. */
  probes: boolean;
  /** The fate of further alerts of a problem, in all chains; null if each is reported once. */
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

/** The crash points that only runs with models in the background reach. */
export const BACKGROUND_POINTS: readonly CrashPoint[] = [
  CRASH_POINTS.afterCommitA0,
  CRASH_POINTS.afterCreate,
  CRASH_POINTS.duringRemoval,
];

/** One minute in milliseconds. */
export const MINUTE = 60_000;
/** The largest deviation of a clock in most runs, in milliseconds. */
const USUAL_SKEW_MS = 20_000;

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
  // Simultaneous copies, whose reads lie around the work of a process that returns its lease.
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
  // Those of questions in the background are only in runs with such (`withBackground`).
  const points = Object.values(CRASH_POINTS).filter((point) => !BACKGROUND_POINTS.includes(point));
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
    background: false,
    mostFaults: null,
    trees: false,
    asked: false,
    fallback: 0,
    agents: null,
    summary: false,
    collect: false,
    ledger: false,
    rules: false,
    probes: false,
    checks: false,
    mentions: false,
    forks: false,
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

/** No fault at all. */
export function none(probability: FaultPlan['probability']): FaultPlan['probability'] {
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

/** Faults that need no other one, and no period of time. */
export const SINGLE_FAULTS = (
  Object.keys({ ...MAX_PROBABILITY, ...MAX_PROBABILITY_WITH_BACKGROUND }) as Fault[]
).filter(
  (fault) =>
    ![
      'function_down',
      'function_full',
      'store_down',
      'sweep_killed',
      'sweep_cut_off',
      'document_outdated',
      'document_too_new',
      'document_expired',
    ].includes(fault),
);

/** The names of all faults. */
export const FAULTS = [
  ...Object.keys({
    ...MAX_PROBABILITY,
    ...MAX_PROBABILITY_WITH_APPROVALS,
    ...MAX_PROBABILITY_WITH_TREES,
    ...MAX_PROBABILITY_WITH_LOST_CLAIMS,
    ...MAX_PROBABILITY_WITH_BACKGROUND,
  }),
  ...CONSEQUENCES,
] as Fault[];
