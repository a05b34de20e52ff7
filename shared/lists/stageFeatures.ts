// The features of stages, in the order in which their hooks run.

import type { StageFeature } from '../core/kernel/stageFeature.ts';
import { CHECK_RESULT } from '../features/checks/checkResult.ts';
import { CLAIMS } from '../features/claims/claimsFeature.ts';
import { SESSION_ENTRIES } from '../features/knowledge/rememberSession.ts';
import { TRIGRAMS } from '../features/sessionSearch/trigrams.ts';
import { ALERT_INPUT } from '../kits/alerts/describeAlert.ts';
import { RELATED_ALERTS } from '../kits/alerts/loadRelated.ts';

/** Every feature. */
export const STAGE_FEATURES: readonly StageFeature[] = [
  ALERT_INPUT,
  CLAIMS,
  RELATED_ALERTS,
  CHECK_RESULT,
  SESSION_ENTRIES,
  TRIGRAMS,
];
