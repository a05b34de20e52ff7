// The features of an engine's runs, in the order in which their hooks run, and the collections they use.

import type { Feature } from '../core/kernel/feature/feature.ts';
import type { SweepFeature } from '../core/kernel/feature/sweepFeature.ts';
import * as coreCollections from '../core/schema/coreCollections.ts';
import type { Collection } from '../core/schema/defineCollection.ts';
import { knowParts } from '../core/schema/parts.ts';
import { APPROVAL } from '../features/approvals/feature.ts';
import { affordCall } from '../features/budgets/affordCall.ts';
import { CHILDREN } from '../features/children/feature.ts';
import { COLLECT } from '../features/collect/feature.ts';
import { GUIDANCE } from '../features/guidance/feature.ts';
import { LIVE } from '../features/live/feature.ts';
import { MODEL_OUTAGES } from '../features/modelOutages/feature.ts';
import { RECOVERED_MODELS } from '../features/modelOutages/resumeWaiting.ts';
import { PINS } from '../features/pins/feature.ts';
import { quotasFeature } from '../features/quotas/feature.ts';
import { REPEATS } from '../features/repeats/feature.ts';
import { RESULTS } from '../features/results/feature.ts';
import { SERVER_OUTAGES } from '../features/serverOutages/feature.ts';
import { SKILLS_FEATURE } from '../features/skills/feature.ts';
import { TOOL_SEARCH } from '../features/toolSearch/feature.ts';
import { modelOutageType, modelWaitsPart } from '../kits/agents/modelOutage.ts';
import { pinnedToolsType } from '../kits/agents/pinnedTools.ts';
import { pinsPart } from '../kits/agents/pins.ts';
import { toolListType } from '../kits/agents/toolList.ts';
import { allowanceType } from '../kits/allowances/allowance.ts';
import { openLedger } from '../kits/budgets/tokenLedger.ts';
import { liveTextType } from '../kits/live/liveText.ts';
import { rejectedMessageType } from '../kits/messages/rejectedMessage.ts';
import { quotaPlacesPart, quotaType } from '../kits/quotas/quota.ts';
import { requestPart } from '../kits/views/chat/requestContext.ts';
import { runFiltersPart, runLabelsPart } from '../schema/runLabels.ts';

/** The features of iterations: those of Inquest that are not about alerts. */
export const ENGINE_FEATURES: readonly Feature[] = [
  SERVER_OUTAGES,
  SKILLS_FEATURE,
  TOOL_SEARCH,
  PINS,
  CHILDREN,
  RESULTS,
  APPROVAL,
  COLLECT,
  REPEATS,
  GUIDANCE,
  LIVE,
  quotasFeature({ openLedger, affordCall }),
  MODEL_OUTAGES,
];

/** The features of the sweep. */
export const ENGINE_SWEEP: readonly SweepFeature[] = [RECOVERED_MODELS];

/** The collections that runs store documents in. */
export const ENGINE_COLLECTIONS: readonly Collection[] = [
  ...Object.values<Collection>(coreCollections),
  allowanceType,
  liveTextType,
  modelOutageType,
  pinnedToolsType,
  quotaType,
  rejectedMessageType,
  toolListType,
];

/** The parts of sessions and executions that runs have. */
export const ENGINE_PARTS = knowParts([
  modelWaitsPart,
  pinsPart,
  quotaPlacesPart,
  requestPart,
  runFiltersPart,
  runLabelsPart,
]);
