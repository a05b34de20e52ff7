// Decides the action of the sweep for the times of a schedule. Pure.

import { nextTime, timesBetween } from '../../config/cronTimes.ts';
import type { Schedule } from '../../config/schedulesFile.ts';
import { MAX_RECENT_SLOTS, type ScheduleState } from './check.ts';
import { scheduledCheckId } from './checkRequest.ts';

/** How long the state is kept after the next time, so that a yearly schedule keeps its own. */
const KEEP_MS = 90 * 24 * 3600 * 1000;

/** The changed state, and the time for which a check is requested. */
interface ScheduleStep {
  state: ScheduleState;
  /** Null if none is requested. */
  run: { slot: Date; checkId: string } | null;
}

type Slot = ScheduleState['recent'][number];

/** The rhythm of a schedule as its state stores it. */
const formatRhythm = ({ cron, timezone }: Schedule): string => `${cron} ${timezone}`;

/** Up to when a schedule has no time left at `now`. A clock that is slow takes no handled time back. */
export const handledAt = ({ handledUntil }: ScheduleState, now: Date): Date =>
  now > handledUntil ? now : handledUntil;

/** The state with further times, the latest last. */
export function withSlots(
  state: ScheduleState,
  slots: readonly Slot[],
  schedule: Schedule,
  now: Date,
): ScheduleState {
  const count = (outcome: Slot['outcome']) => slots.filter((slot) => slot.outcome === outcome).length;
  const next = nextTime(schedule, now) ?? now;
  return {
    ...state,
    checkId: slots.findLast(({ checkId }) => checkId !== null)?.checkId ?? state.checkId,
    recent: [...slots.toReversed(), ...state.recent].slice(0, MAX_RECENT_SLOTS),
    missed: state.missed + count('missed'),
    overlaps: state.overlaps + count('overlap'),
    expireAt: new Date(next.getTime() + KEEP_MS),
  };
}

/** The state of a schedule that has not run yet: times before it are not missed. */
export function newState(name: string, schedule: Schedule, now: Date): ScheduleState {
  const empty: ScheduleState = {
    name,
    tenantId: schedule.tenant,
    rhythm: formatRhythm(schedule),
    handledUntil: now,
    checkId: null,
    paused: null,
    recent: [],
    missed: 0,
    overlaps: 0,
    expireAt: now,
  };
  return withSlots(empty, [], schedule, now);
}

/**
 * The step of a schedule at `now`; undefined if nothing is due. Only the latest time can be run: earlier ones
 * are missed. It is missed as well if it is older than `startWithin`, and skipped while the run before lasts.
 * @param stored undefined for a schedule without a state.
 * @param isRunning whether the run before has not ended. Only called when a check would be requested.
 */
export async function decideSchedule(
  name: string,
  schedule: Schedule,
  stored: ScheduleState | undefined,
  now: Date,
  isRunning: (checkId: string) => Promise<boolean>,
): Promise<ScheduleStep | undefined> {
  if (stored === undefined || stored.tenantId !== schedule.tenant)
    return { state: newState(name, schedule, now), run: null };
  // Times of the earlier rhythm were never those of this one.
  if (stored.rhythm !== formatRhythm(schedule))
    return {
      state: { ...stored, rhythm: formatRhythm(schedule), handledUntil: handledAt(stored, now) },
      run: null,
    };
  if (stored.paused !== null) return undefined;
  const times = timesBetween(schedule, stored.handledUntil, now);
  const last = times.at(-1);
  if (last === undefined) return undefined;
  const handled = { ...stored, handledUntil: now };
  const missed = times
    .slice(0, -1)
    .map((slot): Slot => ({ slot, outcome: 'missed', checkId: null, by: null }));
  const end = async (): Promise<Slot> => {
    const none = { slot: last, checkId: null, by: null };
    if (now.getTime() - last.getTime() > schedule.startWithin) return { ...none, outcome: 'missed' };
    if (stored.checkId !== null && (await isRunning(stored.checkId))) return { ...none, outcome: 'overlap' };
    return { ...none, outcome: 'requested', checkId: scheduledCheckId(name, last) };
  };
  const slot = await end();
  const { checkId } = slot;
  return {
    state: withSlots(handled, [...missed, slot], schedule, now),
    run: checkId === null ? null : { slot: last, checkId },
  };
}
