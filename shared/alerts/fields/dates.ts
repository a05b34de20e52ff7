// Reads the moments that senders write: ISO 8601, or a Unix time in any of the usual units.

/** The date of an ISO 8601 text; null without one, or outside 1970-9999 (Go's zero time is in year 1). */
function isoDate(text: string | undefined): Date | null {
  return text !== undefined && /^\d{4}-\d{2}-\d{2}T/.test(text) ? plausibleDate(new Date(text)) : null;
}

/** From this number on, a Unix time is in the next unit: seconds, then milli-, micro- and nanoseconds. */
const UNITS = [
  { below: 1e11, toMs: (value: number) => value * 1e3 },
  { below: 1e14, toMs: (value: number) => value },
  { below: 1e17, toMs: (value: number) => value / 1e3 },
  { below: Number.POSITIVE_INFINITY, toMs: (value: number) => value / 1e6 },
];

/**
 * The date of an ISO 8601 text (UTC when it names no zone) or of a Unix time, as number or digits, in
 * seconds, milli-, micro- or nanoseconds; null for anything else, and under the same rules as `isoDate`.
 */
export function looseDate(text: string | undefined): Date | null {
  const value = text?.trim() ?? '';
  if (/^\d{9,19}(\.\d+)?$/.test(value)) {
    const unit = UNITS.find(({ below }) => Number(value) < below);
    return unit === undefined ? null : plausibleDate(new Date(unit.toMs(Number(value))));
  }
  const [, day, time, zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}[\d:.,]*) ?(Z|UTC|[+-]\d{2}:?\d{2})?$/i.exec(value) ?? [];
  return day === undefined ? null : isoDate(`${day}T${time}${/^utc$/i.test(zone) ? 'Z' : zone}`);
}

/** The earliest of `dates`; null when there is none. */
export function earliestDate(dates: readonly (Date | null)[]): Date | null {
  return sortDates(dates)[0] ?? null;
}

/** The latest of `dates`; null when there is none. */
export function latestDate(dates: readonly (Date | null)[]): Date | null {
  return sortDates(dates).at(-1) ?? null;
}

const sortDates = (dates: readonly (Date | null)[]): Date[] =>
  dates.filter((date) => date !== null).sort((a, b) => a.getTime() - b.getTime());

/** Firestore's dates end with the year 9999. */
const LAST_MOMENT = Date.UTC(9999, 11, 31);

function plausibleDate(date: Date): Date | null {
  const time = date.getTime();
  return time > 0 && time <= LAST_MOMENT ? date : null;
}
