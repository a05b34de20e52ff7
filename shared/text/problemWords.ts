// The state of a session's problem, and the words of its badge: page, commands and messages have the same.

import { clockText, MONTHS } from './times.ts';

/** The state of a problem, according to the reports of its source so far. */
export interface ProblemState<T = Date> {
  /** `unknown`: its source names no state, or no later report can be recognised. */
  status: 'firing' | 'resolved' | 'acknowledged' | 'test' | 'unknown';
  /** Since when it fires, or when it was resolved; null for the other states. The API has a text. */
  at: T | null;
  /** Reports that it fires, after the first one of the session. */
  repeats: number;
}

/**
 * `Firing since 18:24, repeated 14 times`, `Resolved 18:25`, `Acknowledged`, `Test`; for a source that names
 * no state `Repeated 14 times`, or `Unknown`.
 * @param timeText the words for its time.
 */
export function problemWords<T>(
  { status, at, repeats }: ProblemState<T>,
  timeText: (at: T) => string,
): string {
  const repeated = repeats === 0 ? null : `epeated ${repeats === 1 ? 'once' : `${repeats} times`}`;
  switch (status) {
    case 'firing': {
      const since = at === null ? '' : ` since ${timeText(at)}`;
      return `Firing${since}${repeated === null ? '' : `, r${repeated}`}`;
    }
    case 'resolved':
      return at === null ? 'Resolved' : `Resolved ${timeText(at)}`;
    case 'acknowledged':
      return 'Acknowledged';
    case 'test':
      return 'Test';
    case 'unknown':
      return repeated === null ? 'Unknown' : `R${repeated}`;
  }
}

/** A UTC time for commands and messages: `18:24 UTC`, `27 Nov 18:24 UTC`, `27 Nov 2025 …`. */
export function utcMoment(at: Date, now: Date): string {
  const [day = ''] = at.toISOString().split('T');
  const [today = ''] = now.toISOString().split('T');
  const time = clockText(at);
  if (day === today) return time;
  const year = day.slice(0, 4) === today.slice(0, 4) ? '' : ` ${day.slice(0, 4)}`;
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}${year} ${time}`;
}
