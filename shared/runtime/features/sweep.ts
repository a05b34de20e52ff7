// The features of the sweep, in the order in which they run.

import type { SweepFeature } from '../../core/kernel/feature/sweepFeature.ts';
import { startWaiting } from './budgets/startWaiting.ts';
import { CANARY } from './canary/sendCanary.ts';
import { CHECKS } from './checks/publishChecks.ts';
import { RECOVERED_MODELS } from './modelOutages/resumeWaiting.ts';
import { publishLate } from './outbox/publishLate.ts';
import { OUTCOMES } from './outcomes/checkOutcomes.ts';
import { SWEEP_TELEMETRY } from './telemetry/sweepTelemetry.ts';

/** The features that only repair and start sessions. */
export const SWEEP_FEATURES: readonly SweepFeature[] = [
  { run: startWaiting },
  { run: publishLate },
  RECOVERED_MODELS,
  OUTCOMES,
  SWEEP_TELEMETRY,
];

/**
 * Every feature of an installation: it also publishes canaries and checks.
 * @param schedules requests the checks of schedules; empty without any.
 */
export function deployedSweepFeatures(schedules: readonly SweepFeature[]): readonly SweepFeature[] {
  return [...SWEEP_FEATURES, ...schedules, CHECKS, CANARY];
}
