// The features of stages, in the order in which their hooks run.

import { ALL_ON, type Off } from '../contract/switches.ts';
import type { StageFeature } from '../core/kernel/stageFeature.ts';
import { CHECK_RESULT } from '../features/checks/checkResult.ts';
import { CLAIMS } from '../features/claims/claimsFeature.ts';
import { FORKED_EXECUTIONS } from '../features/fork/forkedExecutions.ts';
import { SESSION_ENTRIES } from '../features/knowledge/rememberSession.ts';
import { TRIGRAMS } from '../features/sessionSearch/trigrams.ts';
import { TOPOLOGY } from '../features/topology/feature.ts';
import { ALERT_INPUT } from '../kits/alerts/describeAlert.ts';
import { RELATED_ALERTS } from '../kits/alerts/loadRelated.ts';
import { LISTED_FIELDS } from '../kits/views/sessionFilter.ts';
import { present, unlessOff } from './present.ts';

/** The features that are not off. */
export const stageFeatures = (off: Off): readonly StageFeature[] =>
  present<StageFeature>([
    ALERT_INPUT,
    CLAIMS,
    RELATED_ALERTS,
    FORKED_EXECUTIONS,
    unlessOff(off, 'schedules', CHECK_RESULT),
    unlessOff(off, 'knowledge', SESSION_ENTRIES),
    unlessOff(off, 'topology', TOPOLOGY),
    TRIGRAMS,
    LISTED_FIELDS,
  ]);

/** Every feature. */
export const STAGE_FEATURES: readonly StageFeature[] = stageFeatures(ALL_ON);
