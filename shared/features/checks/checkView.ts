// Checks and schedules as people see them.

import * as z from 'zod';
import { checkPart } from '../../alerts/schema/sessionCheck.ts';
import { nextTime } from '../../config/cronTimes.ts';
import type { Schedules } from '../../config/schedulesFile.ts';
import type { Store } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readPart } from '../../core/schema/parts.ts';
import { type Check, checkSchema, checkType, scheduleStateSchema, scheduleStateType } from './check.ts';

/** A check with the state of its session. */
export const shownCheckSchema = checkSchema
  .omit({ expireAt: true, content: true, attempts: true, tenantId: true, userId: true, previousId: true })
  .extend({
    status: z.string().nullable().describe('Of its session'),
    result: z.enum(['healthy', 'attention']).nullable().describe('Null until it completes'),
  });

/** A schedule with its next time and its latest run. */
export const listedScheduleSchema = z.strictObject({
  name: z.string(),
  cron: z.string(),
  timezone: z.string(),
  onlyIf: z.string().describe('`changed`: only a change of the result is delivered'),
  chain: z.string().nullable().describe('Null for the default chain'),
  nextAt: z.date().nullable().describe('Null while it is paused'),
  state: scheduleStateSchema
    .omit({ name: true, tenantId: true, rhythm: true, expireAt: true })
    .nullable()
    .describe('Null before the sweep saw it'),
  check: shownCheckSchema.nullable().describe('The latest run'),
});
type ListedSchedule = z.infer<typeof listedScheduleSchema>;

/** A check with the state of its session. @throws RetryableError when the store fails. */
export async function showCheck(
  { expireAt: _, content: _c, attempts: _a, tenantId: _t, userId: _u, previousId: _p, ...check }: Check,
  store: Pick<Store, 'get'>,
): Promise<z.infer<typeof shownCheckSchema>> {
  const { sessionId } = check;
  const session = sessionId === null ? undefined : await store.get(paths.session(sessionId), sessionType);
  const result = session === undefined ? undefined : readPart(checkPart, session.value)?.result;
  return { ...check, status: session?.value.status ?? null, result: result ?? null };
}

/** The schedules of a tenant, in the order of their names. @throws RetryableError when the store fails. */
export async function listSchedules(
  schedules: Schedules,
  tenantId: string,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<ListedSchedule[]> {
  const own = Object.entries(schedules).filter(([, { tenant }]) => tenant === tenantId);
  return Promise.all(
    own
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(async ([name, schedule]) => {
        const stored = (await store.get(scheduleStateType.paths.scheduleState(name), scheduleStateType))
          ?.value;
        const checkId = stored?.checkId ?? null;
        const check =
          checkId === null ? undefined : await store.get(checkType.paths.check(checkId), checkType);
        const { name: _, tenantId: _tenant, rhythm: _rhythm, expireAt: _expire, ...state } = stored ?? {};
        const { cron, timezone, onlyIf, chain } = schedule;
        return {
          name,
          cron,
          timezone,
          onlyIf,
          chain: chain ?? null,
          check: check === undefined ? null : await showCheck(check.value, store),
          nextAt: stored?.paused ? null : nextTime(schedule, clock.now()),
          state: stored === undefined ? null : (state as ListedSchedule['state']),
        };
      }),
  );
}
