// The alert as the input of a run.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { isCritical } from '../../contract/severity.ts';
import type { StageFeature } from '../../core/kernel/stageFeature.ts';

/** Gives runs the title and the labels of their alert. */
export const ALERT_INPUT: StageFeature = {
  describeInput(session) {
    const alert = readSessionAlert(session);
    return alert ? { ...alert, isCritical: isCritical(alert.severity) } : undefined;
  },
};
