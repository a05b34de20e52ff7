// Lists for operators of the last days.

import * as z from 'zod';
import { utcDay } from '../../text/utcPeriod.ts';

const DAY_MS = 24 * 3_600_000;
/** Sorts after every id that starts with a day. */
export const LAST_ID = '\uf8ff';

/** The query of lists of the last days. */
export const daysQuery = z.strictObject({
  days: z.coerce.number<number>().int().min(1).max(30).default(7).describe('Number of days, including today'),
});
/** The common part of the routes of lists for operators. */
export const ofOperators = { method: 'get', role: 'admin', isForOperators: true, status: 200 } as const;

/** The days of a query. The last day is tomorrow, because other clocks can be ahead of this one. */
export function countedPeriod(days: number, now: Date): { from: string; to: string } {
  const from = utcDay(new Date(now.getTime() - (days - 1) * DAY_MS));
  return { from, to: utcDay(new Date(now.getTime() + DAY_MS)) };
}
