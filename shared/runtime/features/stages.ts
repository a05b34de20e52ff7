// The features of stages, in the order in which their hooks run.

import { RELATED_ALERTS } from '../alerts/loadRelated.ts';
import { CLAIMS } from '../claims/claimsFeature.ts';
import type { StageFeature } from '../kernel/stageFeature.ts';
import { CHECK_RESULT } from './checks/checkResult.ts';
import { SESSION_ENTRIES } from './knowledge/rememberSession.ts';
import { TRIGRAMS } from './sessionSearch/trigrams.ts';

/** Every feature. */
export const STAGE_FEATURES: readonly StageFeature[] = [
  CLAIMS,
  RELATED_ALERTS,
  CHECK_RESULT,
  SESSION_ENTRIES,
  TRIGRAMS,
];
