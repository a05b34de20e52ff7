// The body of `sweep`: a tick of the schedule, which arrives by HTTP and not by Pub/Sub.

import type { FeatureDeps } from '../contract/featureDeps.ts';
import type { StateDeps } from '../core/kernel/deps.ts';
import type { SweepFeature } from '../core/kernel/feature/sweepFeature.ts';
import { type SweepReport, sweepSessions } from '../core/rescue/sweep.ts';

/**
 * Runs the sweep once. The caller must not answer a report with failures as a success.
 * @param features of the sweep, in the order in which they run.
 * @throws RetryableError when the sessions cannot be listed.
 */
export async function handleTick(
  deps: StateDeps & Pick<FeatureDeps, 'finishTelemetry'>,
  features: readonly SweepFeature[],
): Promise<SweepReport> {
  const report = await sweepSessions(deps, features).finally(() => deps.finishTelemetry?.());
  deps.log.info(report, 'swept');
  return report;
}
