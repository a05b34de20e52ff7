// Times and durations of the protocol in JSON: `2026-11-23T18:00:00.5Z`, `3.5s`.

import type { Message } from '../protocol/protoFiles.ts';
import { jsonError } from './scalars.ts';

const TIME = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/;
const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;
const [MIN_MS, MAX_MS] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')];
/** Some 10,000 years. */
const MAX_DURATION_SECONDS = 315_576_000_000;

/** @throws StatusError INVALID_ARGUMENT */
export function timestampFromJson(value: unknown, at: string): Message {
  const [, date, time, fraction = '', zone = ''] = TIME.exec(String(value)) ?? [];
  const local = Date.parse(`${date}T${time}Z`);
  const ms = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  // JavaScript takes February 31 for March 3.
  const isDate = !Number.isNaN(local) && new Date(local).toISOString().startsWith(`${date}`);
  if (typeof value !== 'string' || !isDate || !(ms >= MIN_MS && ms <= MAX_MS)) {
    throw jsonError(at, 'has to be a time, such as "2026-11-23T18:00:00.5Z".');
  }
  return { seconds: String(ms / 1000), nanos: parseNanos(fraction) };
}

/** A timestamp in RFC 3339, UTC, with 0, 3, 6 or 9 digits of a second. */
export const timestampToJson = ({ seconds = '0', nanos = 0 }: Message): string =>
  `${new Date(Number(seconds) * 1000).toISOString().slice(0, -5)}${formatNanos(nanos)}Z`;

/** @throws StatusError INVALID_ARGUMENT */
export function durationFromJson(value: unknown, at: string): Message {
  const [, sign, seconds, fraction = ''] = DURATION.exec(String(value)) ?? [];
  if (typeof value !== 'string' || seconds === undefined || Number(seconds) > MAX_DURATION_SECONDS) {
    throw jsonError(at, 'has to be a duration, such as "3.5s".');
  }
  const factor = sign === '-' ? -1 : 1;
  return { seconds: String(Number(seconds) * factor), nanos: parseNanos(fraction) * factor };
}

/** A duration in seconds with a final `s`: `1.500s`. */
export function durationToJson({ seconds = '0', nanos = 0 }: Message): string {
  const sign = Number(seconds) < 0 || nanos < 0 ? '-' : '';
  return `${sign}${String(seconds).replace('-', '')}${formatNanos(Math.abs(nanos))}s`;
}

const parseNanos = (fraction: string): number => Number(fraction.padEnd(9, '0'));

/** With 0, 3, 6 or 9 digits. */
const formatNanos = (nanos: number): string =>
  nanos === 0
    ? ''
    : `.${String(nanos)
        .padStart(9, '0')
        .replace(/(?:000){1,2}$/, '')}`;
