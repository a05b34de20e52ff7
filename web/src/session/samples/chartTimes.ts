// Times of a chart as text, in the reader's time zone. Pure.

import { localText, momentText, utcText } from '../../model/format.ts';
import type { Span } from './scale.ts';

const toIsoText = (ms: number): string => new Date(ms).toISOString();

/** A time with its day and zone. */
export function timeText(ms: number): string {
  const iso = toIsoText(ms);
  return new Date(ms).getTimezoneOffset() === 0 ? utcText(iso) : localText(iso);
}

const MINUTE_MS = 60_000;

/** The names of start, middle and end of an axis. Only the first one always has its day. */
export function axisTexts({ from, to }: Span): [string, string, string] {
  const seconds = (ms: number): string =>
    to - from < 5 * MINUTE_MS ? `:${toIsoText(ms).slice(17, 19)}` : '';
  const text = (ms: number): string => `${momentText(toIsoText(ms), from)}${seconds(ms)}`;
  return [`${momentText(toIsoText(from), 0)}${seconds(from)}`, text((from + to) / 2), text(to)];
}
