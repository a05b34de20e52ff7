// The alert as the input of a run.

import type { StageFeature } from '../../core/kernel/stageFeature.ts';
import { readSessionAlert } from '../../schema/features/alert.ts';

/** Gives runs the title and the labels of their alert. */
export const ALERT_INPUT: StageFeature = {
  describeInput: (session) => readSessionAlert(session) ?? undefined,
};
