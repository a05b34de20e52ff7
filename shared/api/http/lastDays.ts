// Lists for operators of the last days.

import * as z from 'zod';
import { utcDay } from '../../text/utcPeriod.ts';

const DAY_MS = 24 * 3_600_000;

/** The query of lists of the last days. */
export const daysQuery = z.strictObject({
  days: z.coerce.number<number>().int().min(1).max(30).default(7).describe('Number of days, including today'),
});
/** The common part of the routes of lists for operators. */
export const ofOperators = { method: 'get', role: 'admin', isForOperators: true, status: 200 } as const;

/** The first day of a query. */
export const findFirstDay = (days: number, now: Date): string =>
  utcDay(new Date(now.getTime() - (days - 1) * DAY_MS));
