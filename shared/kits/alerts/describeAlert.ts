// The alert as the input of a run.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import type { StageFeature } from '../../core/kernel/stageFeature.ts';

/** Gives runs the title and the labels of their alert. */
export const ALERT_INPUT: StageFeature = {
  describeInput: (session) => readSessionAlert(session) ?? undefined,
};
