// The features of the sweep, in the order in which they run.

import type { SweepFeature } from '../core/kernel/feature/sweepFeature.ts';
import { startWaiting } from '../features/budgets/startWaiting.ts';
import { CANARY } from '../features/canary/sendCanary.ts';
import { loadScheduleFeature } from '../features/checks/loadScheduleFeature.ts';
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
 * @param configured those of its configuration.
 */
export function deployedSweepFeatures(configured: readonly SweepFeature[]): readonly SweepFeature[] {
  return [...SWEEP_FEATURES, ...configured, CHECKS, CANARY];
}

/** The features that a configuration has or has not, by its folder. */
const CONFIGURED: readonly ((folder: string) => Promise<SweepFeature | undefined>)[] = [loadScheduleFeature];

/** Loads the features of a configuration. @throws ConfigError with one line per fault. */
export async function loadConfiguredSweep(folder: string): Promise<readonly SweepFeature[]> {
  const loaded = await Promise.all(CONFIGURED.map((load) => load(folder)));
  return loaded.filter((one) => one !== undefined);
}
