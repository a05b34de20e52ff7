// How old an entry is.

import { beganText } from '../../model/format.ts';

const DAY_MS = 24 * 3_600_000;

/** Relative within a day, else the day in UTC, with its year when it is not the current one. */
export function ageText(iso: string, now: number): string {
  if (now - Date.parse(iso) < DAY_MS) return beganText(iso, now);
  const isThisYear = iso.slice(0, 4) === new Date(now).toISOString().slice(0, 4);
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
    ...(!isThisYear && { year: 'numeric' }),
  }).format(new Date(iso));
}
