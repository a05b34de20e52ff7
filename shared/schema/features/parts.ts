// The list of all parts: each is defined beside the schemas of its feature.

import { knowParts } from '../../core/schema/parts.ts';
import { alertPart } from './alert.ts';
import { changesPart } from './change.ts';
import { correlationPart } from './correlation.ts';
import { dependenciesPart } from './dependencies.ts';
import { resourcesPart } from './knowledge.ts';
import { modelWaitsPart } from './modelOutage.ts';
import { notifyPart } from './notified.ts';
import { pinsPart } from './pins.ts';
import { reinvestigationPart } from './reinvestigation.ts';
import { requestPart } from './requestContext.ts';
import { rerunPart } from './rerun.ts';
import { routingPart } from './routing.ts';
import { runLabelsPart } from './runLabels.ts';
import { searchPart } from './search.ts';
import { seenPart } from './seenSession.ts';
import { checkPart } from './sessionCheck.ts';
import { runbookPart } from './usedRunbook.ts';
import { verdictPart } from './verdict.ts';
import { budgetsPart } from './waitedBudgets.ts';

/** The parts of all features. */
export const PARTS = knowParts([
  alertPart,
  budgetsPart,
  changesPart,
  checkPart,
  correlationPart,
  dependenciesPart,
  modelWaitsPart,
  notifyPart,
  pinsPart,
  reinvestigationPart,
  requestPart,
  resourcesPart,
  rerunPart,
  routingPart,
  runbookPart,
  runLabelsPart,
  searchPart,
  seenPart,
  verdictPart,
]);
