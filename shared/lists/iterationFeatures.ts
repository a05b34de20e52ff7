// The features of an iteration, in the order in which their hooks run.

import { ALL_ON, type Off } from '../contract/switches.ts';
import type { Feature } from '../core/kernel/feature/feature.ts';
import { APPROVAL } from '../features/approvals/feature.ts';
import { affordCall } from '../features/budgets/affordCall.ts';
import { CHANGE_SEARCH } from '../features/changes/searchTool.ts';
import { CHILDREN } from '../features/children/feature.ts';
import { CHECK_STAGES } from '../features/claims/checkStages.ts';
import { LEDGER_FEATURE } from '../features/claims/ledger/feature.ts';
import { rulesFeature } from '../features/claims/rules/feature.ts';
import { COLLECT, commitContrasts } from '../features/collect/feature.ts';
import { forkFeature } from '../features/fork/feature.ts';
import { GUIDANCE } from '../features/guidance/feature.ts';
import { INTERACTIONS } from '../features/interactions/feature.ts';
import { KNOWLEDGE } from '../features/knowledge/feature.ts';
import { LIVE } from '../features/live/feature.ts';
import { MODEL_OUTAGES } from '../features/modelOutages/feature.ts';
import { PINS } from '../features/pins/feature.ts';
import { quotasFeature } from '../features/quotas/feature.ts';
import { REPEATS } from '../features/repeats/feature.ts';
import { RESULTS } from '../features/results/feature.ts';
import { SERVER_OUTAGES } from '../features/serverOutages/feature.ts';
import { SKILLS_FEATURE } from '../features/skills/feature.ts';
import { TOOL_SEARCH } from '../features/toolSearch/feature.ts';
import { TOPOLOGY_NOTES } from '../features/topology/feature.ts';
import { USER_ARGUMENTS } from '../features/userArguments/ignoreUser.ts';
import { openLedger } from '../kits/budgets/tokenLedger.ts';
import { createToolConnector } from '../tools/connectTools.ts';
import { present, unlessOff } from './present.ts';

/** Each request reserves its tokens, then takes a part of its model's quota. */
const QUOTAS = quotasFeature({ openLedger, affordCall });

const FORKS = forkFeature({ connector: (sources) => createToolConnector(sources, { warn: () => {} }) });

/**
 * The features that are not off. The order is visible in prompts: messages about outages come first, the
 * skills of an agent become one tool, the tools of servers are searched before others are added, and
 * `ask_agent` and `read_result` follow the tools of servers and of the knowledge base. Calls that no skill
 * allows are refused before repeated ones; those of the ledger are answered before, and never count as
 * repeated.
 */
export const iterationFeatures = (off: Off): readonly Feature[] =>
  present<Feature>([
    SERVER_OUTAGES,
    SKILLS_FEATURE,
    TOOL_SEARCH,
    unlessOff(off, 'knowledge', KNOWLEDGE),
    unlessOff(off, 'changes', CHANGE_SEARCH),
    FORKS,
    PINS,
    CHILDREN,
    RESULTS,
    APPROVAL,
    COLLECT,
    rulesFeature({ commitContrasts }),
    LEDGER_FEATURE,
    REPEATS,
    GUIDANCE,
    LIVE,
    QUOTAS,
    INTERACTIONS,
    MODEL_OUTAGES,
    USER_ARGUMENTS,
    CHECK_STAGES,
    unlessOff(off, 'topology', TOPOLOGY_NOTES),
  ]);

/** Every feature. */
export const FEATURES: readonly Feature[] = iterationFeatures(ALL_ON);
