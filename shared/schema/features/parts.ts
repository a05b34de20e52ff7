// The list of all parts: each is defined beside the schemas of its feature.

import { alertPart } from '../../core/schema/alert.ts';
import { knowParts } from '../../core/schema/parts.ts';
import { verdictPart } from '../../core/schema/verdict.ts';
import { changesPart } from './change.ts';
import { checkPart } from './check.ts';
import { correlationPart } from './correlation.ts';
import { notifyPart } from './delivery.ts';
import { dependenciesPart } from './dependencies.ts';
import { reinvestigationPart } from './reinvestigation.ts';
import { requestPart } from './requestContext.ts';
import { rerunPart } from './rerun.ts';
import { routingPart } from './routing.ts';
import { runbookPart } from './runbook.ts';
import { searchPart } from './search.ts';
import { seenPart } from './seenSession.ts';

/** The parts of all features. */
export const PARTS = knowParts([
  alertPart,
  changesPart,
  checkPart,
  correlationPart,
  dependenciesPart,
  notifyPart,
  reinvestigationPart,
  requestPart,
  rerunPart,
  routingPart,
  runbookPart,
  searchPart,
  seenPart,
  verdictPart,
]);
