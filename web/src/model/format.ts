// Numbers, sizes, times as text. Without `Intl`, whose first use takes 25 ms.

import { MONTHS } from '../../../shared/text/times.ts';

/** A number with separators, and three decimals at most. */
export function numberText(value: number): string {
  const rounded = Number.isInteger(value) ? value : Math.round(value * 1_000) / 1_000;
  const [whole = '', ...decimals] = String(rounded).split('.');
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ','), ...decimals].join('.');
}

/** A number and its noun. @param plural Default: the noun with an s. */
export function countText(count: number, noun: string, plural = `${noun}s`): string {
  return `${numberText(count)} ${count === 1 ? noun : plural}`;
}

/** A duration in milliseconds, in two units at most. */
export function durationText(ms: number): string {
  if (ms < 0) return '0 ms';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withRest(`${minutes} min`, seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return withRest(`${hours} h`, minutes % 60, 'min');
  return withRest(`${Math.floor(hours / 24)} d`, hours % 24, 'h');
}

function withRest(text: string, rest: number, unit: string): string {
  return rest === 0 ? text : `${text} ${rest} ${unit}`;
}

/** An offset from the start of a session: never negative, because clocks of machines differ. */
export function offsetText(ms: number): string {
  const from = Math.max(0, ms);
  if (from < 60_000) return `+${(Math.floor(from / 100) / 10).toFixed(1)}`;
  const seconds = Math.floor(from / 1_000);
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3_600) return `+${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  return `+${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** A size in bytes. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_950) return `${(bytes / 1_000).toFixed(bytes < 99_950 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A cost with two significant digits, or that it is unknown; never 0 for an unknown price. */
export function costText({
  usd,
  unpricedCalls,
}: {
  usd: number | null;
  unpricedCalls: number | null;
}): string {
  if (usd === null || unpricedCalls === null) return 'unknown';
  if (unpricedCalls === 0) return dollarText(usd);
  return usd === 0 ? 'unknown' : `at least ${dollarText(usd)}`;
}

/** The cost of a session. Nothing is known of a price before a model has answered. */
export function priceText({
  cost,
  models,
}: {
  cost: Parameters<typeof costText>[0];
  models: readonly string[];
}): string {
  if (models.length === 0) return 'none yet';
  const text = costText(cost);
  return text === 'unknown' ? 'unknown for this model' : text;
}

/** A cost without a heading beside it: `$0.02`, or `cost unknown`. */
export function costFact(cost: Parameters<typeof costText>[0]): string {
  const text = costText(cost);
  return text === 'unknown' ? 'cost unknown' : text;
}

/** US dollars. */
export function dollarText(usd: number): string {
  if (usd === 0) return '$0';
  if (usd >= 0.1) return `$${usd.toFixed(2)}`;
  const digits = Math.min(8, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(digits)}`;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MINUTE_MS = 60_000;

/** How far the reader's clock is before UTC at a time, in minutes. */
const beforeUtc = (time: Date) => -time.getTimezoneOffset();

/** Day and time of a clock. @param minutes How far it is before UTC. */
function clockAt(time: Date, minutes: number): { day: string; year: number; clock: string } {
  const shifted = new Date(time.getTime() + minutes * MINUTE_MS);
  const day = `${shifted.getUTCDate()} ${MONTHS[shifted.getUTCMonth()]}`;
  return { day, year: shifted.getUTCFullYear(), clock: clockText(shifted.toISOString()) };
}

function fullText(iso: string, minutes: number): string {
  const { day, year, clock } = clockAt(new Date(iso), minutes);
  return `${day} ${year}, ${clock}`;
}

/** The day and time in UTC, for a title: `17 Nov 2026, 09:36:00 UTC`. */
export function utcText(iso: string): string {
  return `${fullText(iso, 0)} UTC`;
}

/** The same in the reader's time zone: `17 Nov 2026, 15:06:00 UTC+5:30`. */
export function localText(iso: string): string {
  const minutes = beforeUtc(new Date(iso));
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const zone = `${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${rest}`}`;
  return `${fullText(iso, minutes)} UTC${zone}`;
}

/** The title of an absolute time. */
export function timeTitle(iso: string): string {
  return `${utcText(iso)} · ${localText(iso)}`;
}

const HOUR_MS = 3_600_000;

/** A time of day in UTC. */
export function clockText(iso: string): string {
  return iso.slice(11, 19);
}

/** A start time for a list: relative or the time within a day, with the day before that. */
export function beganText(iso: string, now: number): string {
  const age = now - Date.parse(iso);
  if (age < 60_000) return 'now';
  if (age < HOUR_MS) return `${Math.floor(age / 60_000)} min ago`;
  const start = new Date(iso);
  const { day, clock } = clockAt(start, beforeUtc(start));
  const time = clock.slice(0, 5);
  return age < 24 * HOUR_MS ? time : `${day}, ${time}`;
}

/** A minute in the reader's time zone, with the day unless it is today: `18:24`, `27 Nov 18:24`. */
export function momentText(iso: string, now: number): string {
  const local = (time: Date) => clockAt(time, beforeUtc(time));
  const { day, year, clock } = local(new Date(iso));
  const today = local(new Date(now));
  const time = clock.slice(0, 5);
  if (year !== today.year) return `${day} ${year} ${time}`;
  return day === today.day ? time : `${day} ${time}`;
}

/** An absolute time's day and minute, with UTC for readers elsewhere: `17 Nov 10:36 (09:36 UTC)`. */
export function dayText(iso: string): string {
  const time = new Date(iso);
  const { day: utcDay } = clockAt(time, 0);
  const utcTime = `${iso.slice(11, 16)} UTC`;
  if (time.getTimezoneOffset() === 0) return `${utcDay} ${utcTime}`;
  const { day, clock } = clockAt(time, beforeUtc(time));
  return `${day} ${clock.slice(0, 5)} (${day === utcDay ? '' : `${utcDay} `}${utcTime})`;
}

/** The UTC time of day beside a local time: `09:36 UTC`; '' where both are equal. */
export function besideLocal(iso: string, now: number): string {
  const time = new Date(iso);
  return time.getTimezoneOffset() === 0 || now - time.getTime() < HOUR_MS ? '' : `${iso.slice(11, 16)} UTC`;
}

/** A day in UTC for people: `Fri, 20 Nov`. Any other text is returned unchanged. */
export function dayName(day: string): string {
  const time = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(time.getTime()) ? day : `${WEEKDAYS[time.getUTCDay()]}, ${clockAt(time, 0).day}`;
}

/** An hour in UTC for people: `Fri, 20 Nov 10:00`. */
export function hourName(hour: string): string {
  const [day = '', of = ''] = hour.split('T');
  return of === '' ? dayName(day) : `${dayName(day)} ${of}:00`;
}

/** Untrusted text for a title of the browser: one line, 80 characters, no control characters. */
export function titleText(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return clean.length > 80 ? `${clean.slice(0, 79)}…` : clean;
}

/** The first lines of a text, within a limit. */
export function firstLines(text: string, characters: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > characters ? `${flat.slice(0, characters - 1).trimEnd()}…` : flat;
}

/** Markdown of text that streams as plain text: marks of bold, headings, code ticks. */
const MARKS = /(?<![^\s(])\*\*(?=\S|$)|(?<=\S)\*\*(?![\w*])|^#{1,6} |`+/gm;

/** A text without marks of bold, headings and code, also if an end is missing. */
export function withoutMarks(text: string): string {
  return text.replace(MARKS, '');
}
