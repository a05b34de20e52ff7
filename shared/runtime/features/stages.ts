// The features of stages, in the order in which their hooks run.

import type { StageFeature } from '../../core/kernel/stageFeature.ts';
import { ALERT_INPUT } from '../../kits/alerts/describeAlert.ts';
import { RELATED_ALERTS } from '../../kits/alerts/loadRelated.ts';
import { CLAIMS } from '../claims/claimsFeature.ts';
import { CHECK_RESULT } from './checks/checkResult.ts';
import { SESSION_ENTRIES } from './knowledge/rememberSession.ts';
import { TRIGRAMS } from './sessionSearch/trigrams.ts';

/** Every feature. */
export const STAGE_FEATURES: readonly StageFeature[] = [
  ALERT_INPUT,
  CLAIMS,
  RELATED_ALERTS,
  CHECK_RESULT,
  SESSION_ENTRIES,
  TRIGRAMS,
];
