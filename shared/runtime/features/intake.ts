// The features of intake, in the order in which their hooks run. They are a list of their own, because
// `ingestAlert` is deployed without the features of an iteration.

import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { ALERT_FATES } from './alertFates/feature.ts';
import { deferByBudget } from './budgets/deferByBudget.ts';
import { degradeByBudget } from './budgets/degradeByBudget.ts';
import { CHANGES } from './changes/feature.ts';
import { CORRELATION } from './correlation/feature.ts';
import { ENRICHMENT } from './enrichment/feature.ts';
import { INCIDENTS } from './incidents/feature.ts';
import { SEEN_BEFORE } from './knowledge/findSimilarSessions.ts';
import { NOTIFY } from './outbox/feature.ts';
import { RUNBOOKS } from './runbooks/feature.ts';
import { serviceTiers } from './tiers/feature.ts';

/** The features of checks, which no source reports. */
export const CHECK_FEATURES: readonly IntakeFeature[] = [
  ENRICHMENT,
  { defer: deferByBudget, addContext: degradeByBudget },
  serviceTiers(true),
  RUNBOOKS,
  NOTIFY,
];

/** Every feature. The order is that of the first events of a session. */
export const INTAKE_FEATURES: readonly IntakeFeature[] = [
  ENRICHMENT,
  { defer: deferByBudget, addContext: degradeByBudget },
  serviceTiers(false),
  RUNBOOKS,
  INCIDENTS,
  SEEN_BEFORE,
  CORRELATION,
  CHANGES,
  NOTIFY,
  ALERT_FATES,
];
