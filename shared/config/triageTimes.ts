// Times in triage.yaml: weekly hours, and maintenance windows, which can have a fixed date. Pure.

import * as z from 'zod';
import { closestTo } from '../text/suggest.ts';
import { schemaByValue, strictMapping } from './fields.ts';
import { findLocalMoment, isTimeZone, WEEKDAYS, type Weekday, wallTimeAt } from './wallClock.ts';

const DAY_MINUTES = 24 * 60;

/** Hours of some days of the week. A span that ends before its start ends on the next day. */
type WeeklySpan = {
  /** Repeats every week. */
  kind: 'weekly';
  /** The days on which the span starts. */
  days: readonly Weekday[];
  /** Minutes since midnight; `to` is up to 1440 and not included. */
  from: number;
  /** As `from`, up to 1440, not included. Less than or equal to `from`: it ends on the next day. */
  to: number;
  /** IANA name of the zone whose clocks count, `Europe/Berlin`. */
  timezone: string;
};

/** From a moment to a later one, which is not included. */
interface DatedSpan {
  /** Occurs once. */
  kind: 'dated';
  /** The start, included. */
  from: Date;
  /** The end, not included. */
  to: Date;
}

/** A time at which a rule holds. */
export type Span = WeeklySpan | DatedSpan;

/** Whether a moment lies in a span. */
export function isWithin(span: Span, at: Date): boolean {
  if (span.kind === 'dated') return at >= span.from && at < span.to;
  const { days, from, to } = span;
  const { weekday, minutes } = wallTimeAt(at, span.timezone);
  if (from < to) return days.includes(weekday) && minutes >= from && minutes < to;
  const yesterday = WEEKDAYS[(WEEKDAYS.indexOf(weekday) + 6) % 7] ?? weekday;
  return (days.includes(weekday) && minutes >= from) || (days.includes(yesterday) && minutes < to);
}

/** A span for people: `20:00-06:00 mon, tue Europe/Berlin`, `2026-12-01T21:00Z to 2026-12-02T01:00Z`. */
export function spanText(span: Span): string {
  if (span.kind === 'dated') {
    const [from, to] = [span.from, span.to].map((time) => `${time.toISOString().slice(0, 16)}Z`);
    return `${from} to ${to}`;
  }
  const { days, from, to, timezone } = span;
  const hours = from === 0 && to === DAY_MINUTES ? 'all day' : `${clockText(from)}-${clockText(to)}`;
  return [hours, ...(days.length === WEEKDAYS.length ? [] : [days.join(', ')]), timezone].join(' ');
}

/** A moment as the clocks of a span's zone show it: `mon 23:12`. Of a dated one in UTC. */
export function momentText(span: Span, at: Date): string {
  if (span.kind === 'dated') return `${at.toISOString().slice(0, 16)}Z`;
  const { weekday, minutes } = wallTimeAt(at, span.timezone);
  return `${weekday} ${clockText(minutes)}`;
}

function clockText(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** The name of a time zone. */
export const timeZone = z.string().superRefine((name, context) => {
  if (isTimeZone(name)) return;
  const closest = closestTo(name, Intl.supportedValuesOf('timeZone'));
  const hint = closest === undefined ? '' : `; did you mean "${closest}"?`;
  const message = `unknown time zone "${name}"; write one of the IANA database such as Europe/Berlin, or UTC${hint}`;
  context.addIssue({ code: 'custom', message });
});

const dayNames: readonly string[] = WEEKDAYS;

/** `mon`, or `mon-fri`, which can extend over the end of the week. */
const dayRange = z.string().transform((text, context): Weekday[] => {
  const [first = '', last = first, ...more] = text.trim().toLowerCase().split('-');
  const [from, to] = [dayNames.indexOf(first), dayNames.indexOf(last)];
  if (from >= 0 && to >= 0 && more.length === 0) {
    const length = ((to - from + 7) % 7) + 1;
    return Array.from({ length }, (_, index) => WEEKDAYS[(from + index) % 7] ?? 'mon');
  }
  context.addIssue({
    code: 'custom',
    message: `must be days such as mon or mon-fri, of ${dayNames.join(', ')}`,
  });
  return z.NEVER;
});
const manyDays = z
  .array(dayRange)
  .min(1)
  .transform((ranges) => [...new Set(ranges.flat())]);
const days = schemaByValue<Weekday[]>((value) => (Array.isArray(value) ? manyDays : dayRange));

/** `22:00`; `24:00` only where `atEnd`. */
const timeOfDay = (atEnd: boolean) =>
  z.unknown().transform((value, context) => {
    const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(typeof value === 'string' ? value : '') ?? [];
    const total = Number(hours) * 60 + Number(minutes);
    if (Number(minutes) < 60 && total < DAY_MINUTES + (atEnd ? 1 : 0)) return total;
    const message = `must be a time of day such as "06:30", from 00:00 to ${atEnd ? '24:00' : '23:59'}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** Hours of days, in `timezone` where they name none. */
export const weeklySpan = (timezone: string) =>
  strictMapping({
    days: days.optional(),
    from: timeOfDay(false).optional(),
    to: timeOfDay(true).optional(),
    timezone: timeZone.optional(),
  }).transform((span, context): WeeklySpan => {
    const { from = 0, to = DAY_MINUTES } = span;
    if (span.days === undefined && span.from === undefined && span.to === undefined)
      context.addIssue({ code: 'custom', message: 'has no time; set days, from or to' });
    if (from === to)
      context.addIssue({
        code: 'custom',
        path: ['to'],
        message: 'is the same time as from; leave out both for whole days',
      });
    return { kind: 'weekly', days: span.days ?? WEEKDAYS, from, to, timezone: span.timezone ?? timezone };
  });

const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::00)?(Z|[+-]\d\d:\d\d)?$/;

const dateTime = z.unknown().superRefine((value, context) => {
  if (typeof value === 'string' && DATE_TIME.test(value)) return;
  const message =
    'must be a date with a time such as 2026-12-01T22:00, or with its offset 2026-12-01T22:00+01:00';
  context.addIssue({ code: 'custom', message });
});

/** The moment that a text means; undefined for a day or an hour that there is not. */
function momentIn(text: unknown, timezone: string): Date | undefined {
  const [, date, time, offset] = DATE_TIME.exec(String(text)) ?? [];
  if (offset === undefined) return findLocalMoment(`${date}T${time}`, timezone);
  const day = findLocalMoment(`${date}T${time}`, 'UTC');
  const moment = new Date(`${date}T${time}:00${offset}`);
  return day === undefined || Number.isNaN(moment.getTime()) ? undefined : moment;
}

const datedSpan = (timezone: string) =>
  strictMapping({ from: dateTime, to: dateTime, timezone: timeZone.optional() }).transform(
    (span, context): DatedSpan => {
      const zone = span.timezone ?? timezone;
      const [from, to] = [momentIn(span.from, zone), momentIn(span.to, zone)];
      const add = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [path], message });
      if (from === undefined) add('from', 'is no day or time that there is');
      if (to === undefined) add('to', 'is no day or time that there is');
      if (from !== undefined && to !== undefined && to <= from)
        add('to', 'is not after from; a window must end after its start');
      return from === undefined || to === undefined ? z.NEVER : { kind: 'dated', from, to };
    },
  );

/** A maintenance window: of one date, or hours of days. */
export const windowSpan = (timezone: string) =>
  schemaByValue<Span>((value) => {
    const { from, to } = (value ?? {}) as { from?: unknown; to?: unknown };
    const isDated = [from, to].some((text) => typeof text === 'string' && /^\d{4}-/.test(text));
    return isDated ? datedSpan(timezone) : weeklySpan(timezone);
  });
