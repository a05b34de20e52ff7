// Requests the checks of schedules whose time has come, as a part of the sweep: no process has to run between
// two checks. The batch that handles a time also stores its request, so that two sweeps request one.

import type { Schedule, Schedules } from '../../config/schedulesFile.ts';
import { saveDocument } from '../../core/contract/store.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { FeatureReport, SweepFeature } from '../../core/kernel/feature/sweepFeature.ts';
import { type ScheduleState, scheduleStateType } from './check.ts';
import { requestWrite } from './checkRequest.ts';
import { decideSchedule } from './decideSchedule.ts';
import { reportErrors } from './publishChecks.ts';
import { isCheckRunning } from './runningCheck.ts';

/** Requests the checks of these schedules. The report contains the errors of the store. */
export function runSchedules(schedules: Schedules): SweepFeature {
  return {
    async run(deps) {
      const report: FeatureReport = { started: 0, failures: [] };
      for (const [name, schedule] of Object.entries(schedules))
        await reportErrors(`schedule ${name}`, report, deps, () => runSchedule(name, schedule, deps));
      return report;
    },
  };
}

/** Handles a schedule's times since the last sweep. If another sweep is faster, its requests count. */
async function runSchedule(name: string, schedule: Schedule, deps: StateDeps): Promise<void> {
  const { store, clock, log, failpoint } = deps;
  const now = clock.now();
  const path = scheduleStateType.paths.scheduleState(name);
  const stored = await store.get(path, scheduleStateType);
  const isRunning = (checkId: string) => isCheckRunning(checkId, deps);
  const step = await decideSchedule(name, schedule, stored?.value, now, isRunning);
  if (step === undefined) return;
  const { state, run } = step;
  const write = saveDocument(path, scheduleStateType, state, stored?.version);
  const request =
    run === null
      ? []
      : [
          requestWrite(
            {
              ...run,
              tenantId: schedule.tenant,
              userId: null,
              schedule: name,
              content: null,
              previousId: stored?.value.checkId ?? null,
              requestedBy: null,
            },
            now,
          ),
        ];
  await failpoint?.(CRASH_POINTS.duringSweep);
  const { ok } = await store.commit([write, ...request]);
  if (ok) logSkipped(name, stored?.value, state, log);
}

/** Names the times that were not run. */
function logSkipped(
  schedule: string,
  before: ScheduleState | undefined,
  { recent, missed, overlaps }: ScheduleState,
  log: StateDeps['log'],
): void {
  const added = [missed - (before?.missed ?? 0), overlaps - (before?.overlaps ?? 0)];
  if (added.every((count) => count === 0)) return;
  const slots = recent.slice(0, (added[0] ?? 0) + (added[1] ?? 0) + 1);
  const named = slots
    .filter(({ outcome }) => outcome !== 'requested')
    .map(({ slot, outcome }) => `${slot.toISOString()} ${outcome}`);
  log.warn({ schedule, missed: added[0], overlaps: added[1] }, `times without a check: ${named.join(', ')}`);
}
