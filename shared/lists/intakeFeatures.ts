// The features of intake, in the order in which their hooks run. They are a list of their own, because
// `ingestAlert` is deployed without the features of an iteration.

import type { Off } from '../contract/switches.ts';
import { deferByBudget } from '../features/budgets/deferByBudget.ts';
import { degradeByBudget } from '../features/budgets/degradeByBudget.ts';
import { CHANGES } from '../features/changes/feature.ts';
import { CORRELATION } from '../features/correlation/feature.ts';
import { NOTIFY } from '../features/deliveries/outbox/feature.ts';
import { ENRICHMENT } from '../features/enrichment/feature.ts';
import { INCIDENTS } from '../features/incidents/feature.ts';
import { SEEN_BEFORE } from '../features/knowledge/findSimilarSessions.ts';
import { RUNBOOKS } from '../features/runbooks/feature.ts';
import { serviceTiers } from '../features/tiers/feature.ts';
import { NEAR_OWNERS } from '../features/topology/nearOwners.ts';
import type { IntakeFeature } from '../kits/alerts/intakeFeature.ts';
import { present, unlessOff } from './present.ts';

/** The features of checks, which no source reports. */
export const checkFeatures = (off: Off): readonly IntakeFeature[] =>
  present<IntakeFeature>([
    ENRICHMENT,
    { defer: deferByBudget, addContext: degradeByBudget },
    serviceTiers(true),
    RUNBOOKS,
    unlessOff(off, 'deliveries', NOTIFY),
  ]);

/** The features of questions in chats, which are no reports of a problem. */
export const askFeatures = (off: Off): readonly IntakeFeature[] =>
  present<IntakeFeature>([
    ENRICHMENT,
    { defer: deferByBudget, addContext: degradeByBudget },
    serviceTiers(false),
    RUNBOOKS,
    unlessOff(off, 'knowledge', SEEN_BEFORE),
    unlessOff(off, 'changes', CHANGES),
  ]);

/** The features that are not off. The order is that of the first events of a session. */
export const intakeFeatures = (off: Off): readonly IntakeFeature[] =>
  present<IntakeFeature>([
    ENRICHMENT,
    { defer: deferByBudget, addContext: degradeByBudget },
    serviceTiers(false),
    RUNBOOKS,
    INCIDENTS,
    unlessOff(off, 'knowledge', SEEN_BEFORE),
    CORRELATION,
    unlessOff(off, 'changes', CHANGES),
    unlessOff(off, 'topology', NEAR_OWNERS),
    unlessOff(off, 'deliveries', NOTIFY),
  ]);
