// The features of an iteration, in the order in which their hooks run.

import type { Feature } from '../../core/kernel/feature/feature.ts';
import { APPROVAL } from './approval/feature.ts';
import { affordCall } from './budgets/affordCall.ts';
import { openLedger } from './budgets/tokenLedger.ts';
import { CHANGE_SEARCH } from './changes/searchTool.ts';
import { CHECK_STAGES } from './checkStages.ts';
import { CHILDREN } from './children/feature.ts';
import { COLLECT, commitContrasts } from './collect/feature.ts';
import { GUIDANCE } from './guidance/feature.ts';
import { KNOWLEDGE } from './knowledge/feature.ts';
import { LEDGER_FEATURE } from './ledger/feature.ts';
import { LIVE } from './live/feature.ts';
import { extendDeadlines, readSession } from './modelOutages/extendDeadlines.ts';
import { MODEL_OUTAGES } from './modelOutages/feature.ts';
import { PINS } from './pins/feature.ts';
import { quotasFeature } from './quotas/feature.ts';
import { REPEATS } from './repeats/feature.ts';
import { RESULTS } from './results/feature.ts';
import { rulesFeature } from './rules/feature.ts';
import { SERVER_OUTAGES } from './serverOutages/feature.ts';
import { SKILLS_FEATURE } from './skills/feature.ts';
import { TOOL_SEARCH } from './toolSearch/feature.ts';
import { USER_ARGUMENTS } from './userArguments/ignoreUser.ts';

/** Each request reserves its tokens, then takes a part of its model's quota. */
const QUOTAS = quotasFeature({ openLedger, affordCall }, { extend: extendDeadlines, readSession });

/**
 * Every feature. The order is visible in prompts: messages about outages come first, the skills of an agent
 * become one tool, the tools of servers are searched before others are added, and `ask_agent` and
 * `read_result` follow the tools of servers and of the knowledge base. Calls that no skill allows are refused
 * before repeated ones; those of the ledger are answered before, and never count as repeated.
 */
export const FEATURES: readonly Feature[] = [
  SERVER_OUTAGES,
  SKILLS_FEATURE,
  TOOL_SEARCH,
  KNOWLEDGE,
  CHANGE_SEARCH,
  PINS,
  CHILDREN,
  RESULTS,
  APPROVAL,
  COLLECT,
  rulesFeature(commitContrasts),
  LEDGER_FEATURE,
  REPEATS,
  GUIDANCE,
  LIVE,
  QUOTAS,
  MODEL_OUTAGES,
  USER_ARGUMENTS,
  CHECK_STAGES,
];
