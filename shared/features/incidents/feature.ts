// Incidents: reports of a known problem belong to its session, and a resolved alert can stop or hold it.

import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { placeReport } from './placeReport.ts';
import { referToEarlier } from './reinvestigation.ts';

/** Places the reports of a problem, and refers a new session to the earlier one. */
export const INCIDENTS: IntakeFeature = {
  place: placeReport,
  addContext: (alert, _, deps) => referToEarlier(alert, deps),
};
