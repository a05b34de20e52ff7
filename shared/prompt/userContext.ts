// What an agent that a person asks knows of the time and of that person.

import { markLines } from '../text/frame.ts';

const WEEKDAY = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });

/**
 * Date, time and user, one line each.
 * @param user as requests name them, without secrets; null when nobody is named.
 */
export function userContext(now: Date, user: string | null): string {
  const [date, time = ''] = now.toISOString().split('T');
  const lines = [`Date: ${date}`, `Time: ${time.slice(0, 8)} UTC (${WEEKDAY.format(now)})`];
  return [...lines, ...(user === null ? [] : [markLines(`User: ${user}`)])].join('\n');
}
