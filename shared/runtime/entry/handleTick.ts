// The body of `sweep`: a tick of the schedule, which arrives by HTTP and not by Pub/Sub.

import type { StateDeps } from '../kernel/deps.ts';
import { type SweepReport, sweep } from '../rescue/sweep.ts';

/**
 * Runs the sweep once. The caller must not answer a report with failures as a success.
 * @throws RetryableError when the sessions cannot be listed.
 */
export async function handleTick(deps: StateDeps): Promise<SweepReport> {
  const report = await sweep(deps);
  deps.log.info(report, 'swept');
  return report;
}
