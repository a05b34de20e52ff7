// Simulates storms of related alerts: problems of few clusters, a session per cluster.

import type { TriageConfig } from '../../../../shared/config/triageFile.ts';
import { NO_TRIAGE } from '../../../../shared/config/triageFile.ts';
import { TOPICS } from '../../../../shared/core/contract/publisher.ts';
import { CRASH_POINTS } from '../../../../shared/core/kernel/crashPoints.ts';
import { DEFAULT_INCIDENT_RULES, type IncidentRules } from '../../../../shared/core/schema/agent.ts';
import type { Random } from '../../../../shared/engine/testing/random.ts';
import { deriveAlertKey } from '../../../../shared/kits/alerts/sessionId.ts';
import { type FaultPlan, MINUTE } from '../../faults.ts';
import type { Cloud } from '../../simulatedCloud.ts';
import type { World } from '../../world.ts';

const CLUSTERS = ['eu', 'us'] as const;

/** Alerts of one cluster join the session of their leader. */
export const RELATED_TRIAGE: TriageConfig = {
  ...NO_TRIAGE,
  correlate: [{ labels: ['cluster'], windowMs: 30 * MINUTE }],
  rules: [{ name: 'clusters', labels: { cluster: ['*'] }, action: 'investigate', join: true }],
};

/** Seeds with related alerts, by the rest of a division by 41. */
const RELATED_SEEDS = [13, 29];

/** Seeds with people who group alerts, by the rest of a division by 41. */
const GROUPED_SEEDS = [25, 28, 34, 39];
/** The settle windows of their chains, in milliseconds. */
const SETTLE_MS = [0, 20_000, 90_000];

/** The plan of a seed whose related alerts people group. Nothing is drawn for it. */
function withGrouping(plan: FaultPlan, seed: number): FaultPlan {
  const settleMs = SETTLE_MS[seed % SETTLE_MS.length] ?? 0;
  const grouped: IncidentRules = { ...DEFAULT_INCIDENT_RULES, settleMs, coolDownMs: MINUTE };
  const { afterCancelRequest, beforeEnding, stageBeforeCommit } = CRASH_POINTS;
  const points = plan.peaceful ? [] : [afterCancelRequest, beforeEnding, stageBeforeCommit];
  return { ...plan, grouped, crashPoints: new Set([...plan.crashPoints, ...points]) };
}

/** The plan of a seed with related alerts: about one of forty. Nothing is drawn for it. */
export function withRelated(plan: FaultPlan, seed: number): FaultPlan {
  const isOther = plan.incidents !== null || plan.sessionsPerHour !== null || plan.tokens !== null;
  const isOwn = plan.checks || plan.ledger || plan.modelOutage !== null || plan.big;
  if (![...RELATED_SEEDS, ...GROUPED_SEEDS].includes(seed % 41) || isOther || isOwn) return plan;
  // A process that cannot read a leader opens a session; other runs have newer and older code.
  const stormy = { ...plan, related: true, sweep: true, sessions: 1, rollout: null };
  const related = GROUPED_SEEDS.includes(seed % 41) ? withGrouping(stormy, seed) : stormy;
  if (plan.peaceful) return related;
  const { ingestBeforeCommit, ingestAfterCommit, ingestAfterPublish } = CRASH_POINTS;
  const points = [ingestBeforeCommit, ingestAfterCommit, ingestAfterPublish];
  return {
    ...related,
    migrateAfterMs: null,
    expireAfterMs: null,
    trees: false,
    probability: { ...plan.probability, process_killed_at_crash_point: 0.2 },
    crashPoints: new Set([...related.crashPoints, ...points]),
  };
}

/** An alert of a storm. */
export interface RelatedAlert {
  /** Empty without one. */
  cluster: string;
  /** The number of its problem, where a problem has several alerts. */
  problem?: number;
  publishedAt: number;
  /** The key of its alert; undefined until it is published. */
  key?: string;
}

/** Publishes the alerts of a storm within a minute, most of them at once. */
export function stormAtOnce(chain: string, cloud: Cloud, { time }: World, random: Random): RelatedAlert[] {
  const start = time.now();
  return Array.from({ length: random.int(3, 10) }, (_, index) => {
    const atMs = index === 0 ? 0 : random.int(0, random.pick([200, 5_000, MINUTE, 5 * MINUTE]));
    const alert: RelatedAlert = { cluster: random.pick(CLUSTERS), publishedAt: start + atMs };
    const publish = () => {
      const labels = { cluster: alert.cluster };
      const body = { title: `Pod ${index} is down`, fingerprint: `pod-${index}`, status: 'firing', labels };
      const message = cloud.publish(TOPICS.alerts, body, { chain });
      alert.key = deriveAlertKey({ messageId: message.id, data: message.data });
    };
    if (atMs === 0) publish();
    else time.after(atMs, publish);
    return alert;
  });
}
