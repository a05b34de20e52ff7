// The context of a person's question: the time, and the name of the person.

import { markLines } from '../text/untrustedFrame.ts';

const WEEKDAY = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });

/**
 * Date, time and user, one line each.
 * @param user the name in the request, masked; null when the request names no user.
 */
export function userContext(now: Date, user: string | null): string {
  const [date, time = ''] = now.toISOString().split('T');
  const lines = [`Date: ${date}`, `Time: ${time.slice(0, 8)} UTC (${WEEKDAY.format(now)})`];
  return [...lines, ...(user === null ? [] : [markLines(`User: ${user}`)])].join('\n');
}
