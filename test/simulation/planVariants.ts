// Variants of a run's plan. Each adds faults or work to some seeds' plans only.

import { CRASH_POINTS, type CrashPoint } from '../../shared/core/kernel/crashPoints.ts';
import type { IncidentRules, SuccessPolicy } from '../../shared/core/schema/agent.ts';
import type { Random } from '../../shared/engine/testing/random.ts';
import {
  BACKGROUND_POINTS,
  type FaultPlan,
  MAX_PROBABILITY_WITH_APPROVALS,
  MAX_PROBABILITY_WITH_LOST_CLAIMS,
  MAX_PROBABILITY_WITH_TREES,
  MINUTE,
  none,
} from './faults.ts';

/** Seeds whose agents ask others, modulo 13: few that notice other faults. */
const TREE_SEEDS = [0, 6, 7, 10];

/** The most by which clocks differ in docs/reliability.md: five minutes. */
const LARGEST_SKEW_MS = 2.5 * MINUTE;

/** Adds approvals to some plans, with separate random numbers: other runs do not change. */
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
 * The plan of a seed whose processes die among calls that change something, which two of ten have. Nothing is
 * drawn for it.
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
 * Has people steer the sessions of every third seed, but for those that end with a 1. What they do is drawn
 * apart, so that all other runs stay what they are.
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

/** Watched seeds, modulo 22: none that notices other faults. */
const WATCHED_SEEDS = [9, 21];

/** Has people watch one seed in eleven, at separately drawn times: other runs do not change. */
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
 * The plan of a seed whose agents have fallback models, which every tenth has: models fail often, and
 * processes die around their calls. Nothing is drawn for it.
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
 * The plan of a seed with a race that is rare in others, which eleven of twenty have. Nothing is drawn for
 * it.
 */
export function withRareRaces(plan: FaultPlan, seed: number): FaultPlan {
  if (plan.peaceful) return plan;
  const { probability } = plan;
  switch (seed % 10) {
    case 1:
      // Executions are ended by others than their holders, and rewritten at that moment.
      return { ...plan, focus: [{ calls: 'ending', fault: 'document_rewritten' }], deadlineMs: MINUTE };
    case 8: {
      // Only the sweep can advance a stage, and cannot read, or dies for longer than it looks back.
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
      // An instance lacks the store until its lease ends, and continues after a takeover.
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
 * The plan of a seed whose claims lose their answers, which every seventeenth has: a message becomes a dead
 * letter after the third one. Nothing else is wrong, and nothing is drawn for it.
 */
export function withLostClaims(plan: FaultPlan, seed: number): FaultPlan {
  if (plan.peaceful || seed % 17 !== 12 || TREE_SEEDS.includes(seed % 13)) return plan;
  return {
    ...plan,
    probability: { ...none(plan.probability), ...MAX_PROBABILITY_WITH_LOST_CLAIMS },
    focus: [],
    outage: null,
    storeOutage: null,
    sweepOutage: null,
    rollout: null,
    modelOutage: null,
    migrateAfterMs: null,
    cancelAfterMs: null,
    cancelAtPoint: null,
    cancelAtApproval: false,
    deadlineMs: 40 * MINUTE,
    maxDeliveryAttempts: 5,
  };
}

/**
 * The plan of a seed with the policy of its stages, which is `all` for every fourth, and with a time for
 * them, which every tenth has. Nothing is drawn for it.
 */
export function withPolicy(plan: FaultPlan, seed: number): FaultPlan {
  const successPolicy = seed % 4 === 1 ? 'all' : 'any';
  return {
    ...plan,
    successPolicy,
    stageTimeoutMs: !plan.peaceful && !plan.steered && seed % 10 === 5 ? 2 * MINUTE : null,
  };
}

/** The plan of every sixteenth seed, with clocks five minutes apart. Nothing is drawn. */
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

/**
 * The plan of a seed whose tools hang often, which every seventeenth has. Nothing else is wrong, and nothing
 * is drawn for it.
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
 * The plan of a seed whose models answer nothing for half an hour, which every ninth has: with nothing else
 * wrong, or with what it has. Only the sweep ends long pauses. Nothing is drawn for it.
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
 * Has sources report the problems of every eighth seed often. What they report is drawn apart, so that all
 * other runs stay what they are. The sweep begins what a settle window keeps waiting.
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
  // Reports overtake each other and repeat; processes die between counting and acting.
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
 * The plan of a seed whose agents keep a ledger: nearly one of ten, none of which was needed for another
 * fault. Executions that check claims have the same id in every session, so it has one. Nothing is drawn for
 * it.
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

/**
 * The plan of a seed whose rules read collected results, which one of fifteen has. Its models are away every
 * other time, so that rules answer. Nothing is drawn for it.
 */
export function withRules(plan: FaultPlan, seed: number): FaultPlan {
  const isOther = plan.incidents !== null || plan.related || plan.checks || plan.trees || plan.probes;
  if ((seed % 29 !== 8 && seed % 31 !== 17) || isOther) return plan;
  const isModelAway = seed % 2 === 0;
  const killed = Math.max(plan.probability.process_killed_at_crash_point, 0.05);
  const faults = {
    process_killed_at_crash_point: killed,
    tool_hung: 0.1,
    tool_lost: 0.1,
    tool_changed: 0.05,
  };
  return {
    ...plan,
    sessions: 1,
    agents: 1,
    ledger: true,
    collect: true,
    rules: true,
    sweep: true,
    big: false,
    probability: {
      ...none(plan.probability),
      ...(!plan.peaceful && faults),
      model_blocked: isModelAway ? 0.9 : 0,
    },
    // Results that no rule can read leave such a run without an answer.
    peaceful: plan.peaceful && !isModelAway,
    focus: [],
    outage: null,
    storeOutage: null,
    modelOutage: null,
    deployment: null,
    expireAfterMs: null,
    sessionsPerHour: null,
    tokens: null,
    stageTimeoutMs: null,
    cancelAfterMs: null,
    cancelAtPoint: null,
    cancelAtApproval: false,
    deadlineMs: 60 * MINUTE,
  };
}

/** The plan of a seed with executive summaries, which every fifth has. Nothing is drawn for it. */
export function withSummary(plan: FaultPlan, seed: number): FaultPlan {
  return { ...plan, summary: seed % 5 === 0 };
}

/**
 * The plan of a seed whose agents ask others, which four of thirteen have: without more than it has, or with
 * what meets the waits for children. Nothing is drawn for it.
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
 * Changes a plan so that processes die at one crash point often, in chains whose stages have three replicas
 * and one policy. Nothing else is wrong, so that what is seen is seen because of that point.
 */
export function withKillAt(point: CrashPoint, successPolicy: SuccessPolicy): (plan: FaultPlan) => FaultPlan {
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
    background: BACKGROUND_POINTS.includes(point),
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
 * The plan of a seed whose messages all come in copies, which four of fifty have, while processes die around
 * the commits that a message follows. Nothing is drawn for it.
 */
export function withStorm(plan: FaultPlan, seed: number): FaultPlan {
  const storm = STORMS[seed % 50];
  if (storm === undefined || plan.peaceful || plan.incidents !== null || plan.steered) return plan;
  return withStorms(storm)(plan);
}

/** All messages come in copies; processes die around commits, and publications fail. */
export function withStorms(storm: Pick<FaultPlan, 'storm' | 'sweep'>): (plan: FaultPlan) => FaultPlan {
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
