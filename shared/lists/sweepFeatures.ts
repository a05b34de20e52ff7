// The features of the sweep, in the order in which they run.

import type { SweepFeature } from '../core/kernel/feature/sweepFeature.ts';
import { startWaiting } from '../features/budgets/startWaiting.ts';
import { CANARY } from '../features/canary/sendCanary.ts';
import { CHECKS } from '../features/checks/publishChecks.ts';
import { publishLate } from '../features/deliveries/outbox/publishLate.ts';
import { RECOVERED_MODELS } from '../features/modelOutages/resumeWaiting.ts';
import { OUTCOMES } from '../features/outcomes/checkOutcomes.ts';
import { SWEEP_TELEMETRY } from '../features/telemetry/sweepTelemetry.ts';

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
