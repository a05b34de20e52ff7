// The features of an engine's runs, in the order in which their hooks run, and the collections they use.

import type { Feature } from '../core/kernel/feature/feature.ts';
import type { SweepFeature } from '../core/kernel/feature/sweepFeature.ts';
import * as coreCollections from '../core/schema/coreCollections.ts';
import type { Collection } from '../core/schema/defineCollection.ts';
import { APPROVAL } from '../runtime/features/approval/feature.ts';
import { affordCall } from '../runtime/features/budgets/affordCall.ts';
import { openLedger } from '../runtime/features/budgets/tokenLedger.ts';
import { CHILDREN } from '../runtime/features/children/feature.ts';
import { COLLECT } from '../runtime/features/collect/feature.ts';
import { GUIDANCE } from '../runtime/features/guidance/feature.ts';
import { LIVE } from '../runtime/features/live/feature.ts';
import { extendDeadlines, readSession } from '../runtime/features/modelOutages/extendDeadlines.ts';
import { MODEL_OUTAGES } from '../runtime/features/modelOutages/feature.ts';
import { RECOVERED_MODELS } from '../runtime/features/modelOutages/resumeWaiting.ts';
import { PINS } from '../runtime/features/pins/feature.ts';
import { quotasFeature } from '../runtime/features/quotas/feature.ts';
import { REPEATS } from '../runtime/features/repeats/feature.ts';
import { RESULTS } from '../runtime/features/results/feature.ts';
import { SERVER_OUTAGES } from '../runtime/features/serverOutages/feature.ts';
import { SKILLS_FEATURE } from '../runtime/features/skills/feature.ts';
import { TOOL_SEARCH } from '../runtime/features/toolSearch/feature.ts';
import { liveTextType } from '../schema/features/liveText.ts';
import { modelOutageType } from '../schema/features/modelOutage.ts';
import { pinnedToolsType } from '../schema/features/pinnedTools.ts';
import { quotaType } from '../schema/features/quota.ts';
import { rejectedMessageType } from '../schema/features/rejectedMessage.ts';
import { toolListType } from '../schema/features/toolList.ts';

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
  quotasFeature({ openLedger, affordCall }, { extend: extendDeadlines, readSession }),
  MODEL_OUTAGES,
];

/** The features of the sweep. */
export const ENGINE_SWEEP: readonly SweepFeature[] = [RECOVERED_MODELS];

/** The collections that runs store documents in. */
export const ENGINE_COLLECTIONS: readonly Collection[] = [
  ...Object.values<Collection>(coreCollections),
  liveTextType,
  modelOutageType,
  pinnedToolsType,
  quotaType,
  rejectedMessageType,
  toolListType,
];
