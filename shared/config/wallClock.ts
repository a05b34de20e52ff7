// Converts between moments and the local time of a time zone.

/** The days of a week in order. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
/** A day of the week. */
export type Weekday = (typeof WEEKDAYS)[number];

interface WallTime {
  /** The local day, which can differ from the day in UTC. */
  weekday: Weekday;
  /** Since midnight: 0 to 1439. */
  minutes: number;
}

/** Whether a time zone of this name is known: `Europe/Berlin`, `UTC`, `+02:00`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The local time of a time zone. @throws RangeError for an unknown zone. */
export function wallTimeAt(at: Date, timeZone: string): WallTime {
  const { weekday, hour, minute } = formatZonedParts(at, timeZone);
  const name = WEEKDAYS.find((day) => day === weekday.toLowerCase()) ?? 'mon';
  return { weekday: name, minutes: Number(hour) * 60 + Number(minute) };
}

/**
 * The moment of a local time in a zone. For an hour that occurs twice, the first; for a skipped hour, the
 * same distance after the last local time before it.
 * @param wall as `2026-12-01T22:00`.
 * @returns undefined for a day that there is not, such as the 31st of June.
 * @throws RangeError for an unknown zone.
 */
export function findLocalMoment(wall: string, timeZone: string): Date | undefined {
  const asUtc = new Date(`${wall}:00Z`);
  if (Number.isNaN(asUtc.getTime()) || !asUtc.toISOString().startsWith(wall)) return undefined;
  const guess = asUtc.getTime() - offsetAt(asUtc, timeZone);
  const before = asUtc.getTime() - offsetAt(new Date(guess - DAY_MS), timeZone);
  const after = asUtc.getTime() - offsetAt(new Date(guess + DAY_MS), timeZone);
  const fitting = [before, after].filter(
    (time) => time + offsetAt(new Date(time), timeZone) === asUtc.getTime(),
  );
  return new Date(fitting.length > 0 ? Math.min(...fitting) : before);
}

const DAY_MS = 24 * 3_600_000;

/** How far a zone's clocks are ahead of UTC, in milliseconds. */
function offsetAt(at: Date, timeZone: string): number {
  const { year, month, day, hour, minute, second } = formatZonedParts(at, timeZone);
  const shown = Date.UTC(+year, +month - 1, +day, +hour, +minute, +second);
  return shown - Math.floor(at.getTime() / 1000) * 1000;
}

type Part = 'year' | 'month' | 'day' | 'weekday' | 'hour' | 'minute' | 'second';

function formatZonedParts(at: Date, timeZone: string): Record<Part, string> {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    weekday: 'short',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value])) as Record<
    Part,
    string
  >;
}
