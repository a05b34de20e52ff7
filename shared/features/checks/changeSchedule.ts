// A person pauses, resumes or runs a schedule.

import type { Schedule, Schedules } from '../../config/schedulesFile.ts';
import { saveDocument, type Write } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { type ScheduleState, scheduleStateType } from './check.ts';
import { publishCheck, requestWrite, scheduledCheckId } from './checkRequest.ts';
import { handledAt, newState, withSlots } from './decideSchedule.ts';
import { isCheckRunning } from './runningCheck.ts';

/** A change of a schedule by a person. */
export type ScheduleAct = 'pause' | 'resume' | 'run';

type ScheduleOutcome =
  | { kind: 'unknown' }
  /** Nothing was to do: it is paused, or is not paused. */
  | { kind: 'unchanged'; state: ScheduleState }
  | { kind: 'changed'; state: ScheduleState }
  /** The run before has not ended. */
  | { kind: 'busy'; checkId: string }
  | { kind: 'requested'; checkId: string };

type ScheduleDeps = Pick<StateDeps, 'store' | 'log' | 'clock' | 'publisher'>;

/**
 * Changes a schedule of a tenant.
 * @param by name of the person; stored and shown.
 * @throws RetryableError when the store fails, or other writers keep being faster; `PUBLISH_FAILED` after a
 *   request is stored: the sweep publishes it.
 */
export async function changeSchedule(
  { name, act, by, tenantId }: { name: string; act: ScheduleAct; by: string; tenantId: string },
  schedules: Schedules,
  deps: ScheduleDeps,
): Promise<ScheduleOutcome> {
  const schedule = Object.hasOwn(schedules, name) ? schedules[name] : undefined;
  if (schedule === undefined || schedule.tenant !== tenantId) return { kind: 'unknown' };
  const { store, clock } = deps;
  const path = scheduleStateType.paths.scheduleState(name);
  const outcome = await retryLostRaces<ScheduleOutcome>(`schedule ${name}`, SESSION_RACES, async () => {
    const now = clock.now();
    const stored = await store.get(path, scheduleStateType);
    const before = stored?.value ?? newState(name, schedule, now);
    const commit = async (state: ScheduleState, ...more: Write[]): Promise<boolean> => {
      const write = saveDocument(path, scheduleStateType, state, stored?.version);
      return (await store.commit([write, ...more])).ok;
    };
    if (act === 'run') return requestRun(name, schedule, before, by, now, commit, deps);
    const isPaused = before.paused !== null;
    if (isPaused === (act === 'pause')) return { kind: 'unchanged', state: before };
    // Times of a pause are not missed.
    const state = act === 'pause' ? { ...before, paused: { by, at: now } } : resumed(before, now);
    return (await commit(state)) ? { kind: 'changed', state } : RACE_LOST;
  });
  if (outcome.kind === 'requested') await publishCheck(deps.publisher, outcome.checkId);
  return outcome;
}

const resumed = (before: ScheduleState, now: Date): ScheduleState => ({
  ...before,
  paused: null,
  handledUntil: handledAt(before, now),
});

async function requestRun(
  name: string,
  schedule: Schedule,
  before: ScheduleState,
  by: string,
  now: Date,
  commit: (state: ScheduleState, ...more: Write[]) => Promise<boolean>,
  deps: ScheduleDeps,
): Promise<ScheduleOutcome | typeof RACE_LOST> {
  const { checkId: previousId } = before;
  if (previousId !== null && (await isCheckRunning(previousId, deps)))
    return { kind: 'busy', checkId: previousId };
  const checkId = scheduledCheckId(name, now);
  const state = withSlots(before, [{ slot: now, outcome: 'requested', checkId, by }], schedule, now);
  const request = {
    checkId,
    tenantId: schedule.tenant,
    userId: null,
    schedule: name,
    slot: now,
    content: null,
    previousId,
    requestedBy: by,
  };
  return (await commit(state, requestWrite(request, now))) ? { kind: 'requested', checkId } : RACE_LOST;
}
