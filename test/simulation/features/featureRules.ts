// The rules of features about a whole run. Those about one session or execution are in `invariants.ts`.

import type { Violate } from '../transitions.ts';
import type { World } from '../world.ts';
import { checkAsks } from './ask/askRule.ts';
import type { SimulatedMentions } from './ask/simulatedAsks.ts';
import { checkTokens } from './budgets/tokenRule.ts';
import { checkChat } from './chat/chatRule.ts';
import { checkChecks } from './checks/scheduleRule.ts';
import type { RequestedChecks } from './checks/simulatedSchedules.ts';
import { checkGrouping } from './correlation/groupingRule.ts';
import { checkRelated } from './correlation/relatedRule.ts';
import type { Grouping } from './correlation/simulatedGrouping.ts';
import type { RelatedAlert } from './correlation/simulatedRelated.ts';
import { checkForks } from './fork/forkRule.ts';
import type { SimulatedForks } from './fork/simulatedForks.ts';
import { checkSteering } from './guidance/steeringRule.ts';
import { checkIncidents } from './incidents/incidentRule.ts';
import type { SimulatedReport } from './incidents/simulatedIncidents.ts';
import { checkLive } from './live/liveRule.ts';
import { checkRequests } from './modelOutages/modelOutageRule.ts';
import { checkProbes } from './outcomes/probeRule.ts';
import { checkQuota } from './quotas/quotaRule.ts';
import { checkSystemPauses } from './system/systemPauseRule.ts';
import { checkTopology } from './topology/topologyRule.ts';

/** Facts about a run that are not in its record. */
export interface RunFacts {
  /** Number of alerts. */
  alerts: number;
  /** The sessions that the alerts opened. */
  sessionIds: string[];
  /** What sources reported, in a run in which they do so often. */
  reported: readonly SimulatedReport[];
  /** The alerts of a storm. */
  related: readonly RelatedAlert[];
  /** The alerts that people group. */
  grouping: Grouping;
  /** The requested checks, beside those of the schedule. */
  requested: RequestedChecks;
  /** The mentions outside of sessions. */
  mentions: SimulatedMentions;
  /** The forks that people requested. */
  forks: SimulatedForks;
  /** The session whose cancellation was reported as successful; null for none. */
  cancelled: string | null;
  /** Whether the run had no faults. */
  peaceful: boolean;
  /** When the run began, in epoch milliseconds. */
  startedAt: number;
  deadLetters: number;
  /** Number of deliveries of dead letters. */
  deadLetterDeliveries: number;
  /** The messages that older code refused and that nothing has handled, by id. */
  refused: readonly string[];
  /** Number of iteration messages published. */
  published: number;
}

/** Checks the record and the stored documents of a run. */
type Rule = (world: World, violate: Violate, run: RunFacts) => void | Promise<void>;

/** Every rule. */
export const FEATURE_RULES: readonly Rule[] = [
  checkTokens,
  checkRequests,
  checkQuota,
  checkSteering,
  checkSystemPauses,
  checkLive,
  checkChat,
  checkProbes,
  checkRelated,
  checkGrouping,
  checkChecks,
  checkAsks,
  checkForks,
  checkIncidents,
  checkTopology,
];
