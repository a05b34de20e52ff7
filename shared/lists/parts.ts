// The list of all parts: each is defined beside the schemas of its feature.

import { alertPart } from '../alerts/schema/alert.ts';
import { correlationPart } from '../alerts/schema/correlation.ts';
import { dependenciesPart } from '../alerts/schema/dependencies.ts';
import { reinvestigationPart } from '../alerts/schema/reinvestigation.ts';
import { rerunPart } from '../alerts/schema/rerun.ts';
import { routingPart } from '../alerts/schema/routing.ts';
import { askPart } from '../alerts/schema/sessionAsk.ts';
import { checkPart } from '../alerts/schema/sessionCheck.ts';
import { runbookPart } from '../alerts/schema/usedRunbook.ts';
import { budgetsPart } from '../alerts/schema/waitedBudgets.ts';
import { changesPart } from '../changes/change.ts';
import { notifyPart } from '../config/notified.ts';
import { knowParts } from '../core/schema/parts.ts';
import { verdictPart } from '../evidence/schema/verdict.ts';
import { questionPart } from '../features/interactions/thought.ts';
import { modelWaitsPart } from '../kits/agents/modelOutage.ts';
import { pinsPart } from '../kits/agents/pins.ts';
import { quotaPlacesPart } from '../kits/quotas/quota.ts';
import { edgesPart, ownersPart } from '../kits/topology/topology.ts';
import { requestPart } from '../kits/views/chat/requestContext.ts';
import { listPart } from '../schema/filterTexts.ts';
import { executionForkPart, forkPart } from '../schema/forkPart.ts';
import { runFiltersPart, runLabelsPart } from '../schema/runLabels.ts';
import { resourcesPart } from '../search/knowledge.ts';
import { searchPart } from '../search/searchPart.ts';
import { seenPart } from '../search/seenSession.ts';

/** The parts of all features. */
export const PARTS = knowParts([
  alertPart,
  askPart,
  budgetsPart,
  changesPart,
  checkPart,
  correlationPart,
  dependenciesPart,
  edgesPart,
  executionForkPart,
  forkPart,
  listPart,
  modelWaitsPart,
  notifyPart,
  ownersPart,
  pinsPart,
  questionPart,
  quotaPlacesPart,
  reinvestigationPart,
  requestPart,
  resourcesPart,
  rerunPart,
  routingPart,
  runbookPart,
  runFiltersPart,
  runLabelsPart,
  searchPart,
  seenPart,
  verdictPart,
]);
