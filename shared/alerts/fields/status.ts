// Whether an alert, or a group of alerts, still fires.

import type { Alert } from '../schema/alert.ts';
import { splitWords } from './fields.ts';

type Status = Alert['status'];

/**
 * Whether an alert of this status gets an investigation of its own: it can still fire, and is not known to be
 * handled by people.
 */
export function isInvestigated(status: Status): boolean {
  return status === 'firing' || status === 'unknown';
}

/** The words of senders for each status, in lower case and without separators. */
const WORDS_OF: Record<Exclude<Status, 'unknown'>, string> = {
  firing: `
    firing open opened alerting alarm alert active trigger triggered retriggered reopened reopen create
    created new raised critical crit activated fired warn warning rewarn problem down nodata renodata
    renotify unacknowledge nack unacknowledged unresolved escalate escalated delegated reassigned
    anomalous started investigating identified monitoring detected outage majoroutage partialoutage
    degraded degradedperformance failed failing failure error fatal unhealthy offline unreachable
    unavailable notresponding trouble breached missing occurred danger timedout startupfailure
  `,
  resolved: `
    resolved resolve closed close ok recovered recovery recover inactive deactivated cleared clear
    manuallyresolved autoresolved up operational healthy online available normal passing passed success
    successful succeeded fixed restored good done dismissed autodismissed postmortem terminated canceled
    cancelled
  `,
  acknowledged: `
    acknowledged acknowledge acked ack acknowledgement accepted inprogress onhold snoozed silenced muted
    maintenance undermaintenance scheduled
  `,
  test: 'test',
};

/** Longer texts are no words for a status and no names of events. */
const MAX_PHRASE = 60;

const WORDS: ReadonlyMap<string, Status> = new Map(
  Object.entries(WORDS_OF).flatMap(([status, words]) =>
    splitWords(words).map((word) => [word, status as Status]),
  ),
);

/** Maps a sender's word for a status. Of a name with dots, `incident.resolved`, the last part counts. */
export function parseStatusWord(word: string | undefined): Status {
  if (word === undefined || word.length > MAX_PHRASE) return 'unknown';
  const parts = word.trim().toLowerCase().split('.');
  const last = parts.at(-1)?.replace(/[\s_-]/g, '') ?? '';
  const status = WORDS.get(last) ?? 'unknown';
  // `load.test` does not mark a test alert.
  return status === 'test' && parts.length > 1 ? 'unknown' : status;
}

/** Parts of the name of an event that do not state what happened. */
const EMPTY_WORD = /^(?:alert|alarm|event|incident|notification|item|state|v?\d+)$/;

/**
 * The status of an event whose name ends with it: `ALERT_STATE_UP`, `alert-created`,
 * `uptimeCheckFailedNotification`. A word that its sender negates has none.
 */
export function statusOfPhrase(phrase: string | undefined): Status {
  const status = parseStatusWord(phrase);
  if (status !== 'unknown' || phrase === undefined) return status;
  if (phrase.length > MAX_PHRASE) return 'unknown';
  const words = phrase
    .replace(/([a-z])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !EMPTY_WORD.test(word));
  if (words.length === 0 || words.some((word) => /^(?:not|no|non|never|un|old|previous)$/.test(word)))
    return 'unknown';
  const last = parseStatusWord(words.at(-1));
  return last === 'test' ? 'unknown' : last;
}

/** The status in a headline: `[Recovered] CPU is high`, `RESOLVED: CPU is high`, `Shop is back up`. */
export function statusInTitle(title: string | undefined): Status {
  const text = title?.slice(0, MAX_TITLE) ?? '';
  const [, bracketed] = /^\s*(?:\[P[1-5]\]\s*)?\[(No data|[\w-]+)/i.exec(text) ?? [];
  const [, leading] = /^[^\p{L}]{0,4}(\p{L}+)\s?(?::|\|| -)\s/u.exec(text) ?? [];
  const stated = [bracketed, leading].map(parseStatusWord).find((status) => status !== 'unknown');
  if (stated !== undefined) return stated;
  if (
    /\b(?:has|have|is|are) (?:now |been )?(?:recovered|resolved|back (?:up|online|to normal))\b/i.test(text)
  )
    return 'resolved';
  if (/^device \S+ recovered from /i.test(text)) return 'resolved';
  return /\b(?:is|are) (?:now )?(?:down|offline|unreachable|failing)\b/i.test(text) ? 'firing' : 'unknown';
}

/** Characters of a headline that can state a status. */
const MAX_TITLE = 200;

/**
 * The status of a group. It fires when its own status or that of an entry is firing. It is resolved only when
 * nothing in it can still fire: to drop an alert that fires is worse than to investigate one that is over. It
 * is acknowledged when all of it that is not resolved is acknowledged, and a test when all of it is.
 * @param declared the status of the group itself
 * @param entries the statuses of its entries
 * @param hidden number of entries that the message leaves out
 */
export function statusOfGroup(declared: Status, entries: readonly Status[], hidden = 0): Status {
  if (declared === 'firing' || entries.includes('firing')) return 'firing';
  if (hidden > 0) return 'unknown';
  if (entries.length === 0) return declared;
  if (entries.every((status) => status === 'test')) return 'test';
  if (entries.every((status) => status === 'resolved')) return 'resolved';
  return entries.every((status) => status === 'resolved' || status === 'acknowledged')
    ? 'acknowledged'
    : 'unknown';
}

/** The entries for a group's severity, start and labels: those not resolved; all when all are resolved. */
export function relevantEntries<E extends { status: Status }>(entries: readonly E[]): readonly E[] {
  const open = entries.filter(({ status }) => status !== 'resolved');
  return open.length > 0 ? open : entries;
}

/** Counts entries by status, such as `2 firing, 1 resolved`; undefined for a single alert. */
export function countStatuses(entries: readonly Status[], hidden = 0): string | undefined {
  if (entries.length + hidden < 2) return undefined;
  const count = (status: Status) => entries.filter((entry) => entry === status).length;
  const counts: [number, string][] = [
    [count('firing'), 'firing'],
    [count('acknowledged'), 'acknowledged'],
    [count('resolved'), 'resolved'],
    [count('test'), 'of a test'],
    [count('unknown'), 'of unknown status'],
    [hidden, 'not shown'],
  ];
  return counts
    .filter(([number]) => number > 0)
    .map(([number, what]) => `${number} ${what}`)
    .join(', ');
}
