// Whether an alert, or a group of alerts, still fires.

import type { Alert } from '../../schema/session.ts';

type Status = Alert['status'];

/**
 * Whether an alert of this status gets an investigation of its own: it can still fire, and is not known to be handled by
 * people.
 */
export function isInvestigated(status: Status): boolean {
  return status === 'firing' || status === 'unknown';
}

const WORDS_OF: Record<Exclude<Status, 'unknown'>, readonly string[]> = {
  firing: [
    'firing',
    'open',
    'opened',
    'alerting',
    'alarm',
    'active',
    'trigger',
    'triggered',
    'retriggered',
    'reopened',
    'create',
    'created',
    'critical',
    'activated',
    'fired',
    'warn',
    'warning',
    'rewarn',
    'problem',
    'down',
    'nodata',
    'renodata',
    'renotify',
    'unacknowledge',
    'unacknowledged',
    'unresolved',
    'escalate',
    'escalated',
    'delegated',
    'reassigned',
    'anomalous',
  ],
  resolved: [
    'resolved',
    'resolve',
    'closed',
    'close',
    'ok',
    'recovered',
    'recovery',
    'inactive',
    'deactivated',
    'cleared',
    'manuallyresolved',
    'autoresolved',
  ],
  acknowledged: ['acknowledged', 'acknowledge', 'acked', 'ack', 'acknowledgement'],
  test: ['test'],
};

const WORDS: ReadonlyMap<string, Status> = new Map(
  Object.entries(WORDS_OF).flatMap(([status, words]) => words.map((word) => [word, status as Status])),
);

/** Maps a sender's word for a status. Of a name with dots, such as `incident.resolved`, the last part counts. */
export function statusOf(word: string | undefined): Status {
  const parts = word?.trim().toLowerCase().split('.') ?? [];
  const last = parts.at(-1)?.replace(/[\s_-]/g, '') ?? '';
  const status = WORDS.get(last) ?? 'unknown';
  // `load.test` does not mark a test alert.
  return status === 'test' && parts.length > 1 ? 'unknown' : status;
}

/**
 * The status of a group. It fires when its own status or that of an entry is firing. It is resolved only when nothing in it
 * can still fire: to drop an alert that fires is worse than to investigate one that is over. It is acknowledged when all of
 * it that is not resolved is acknowledged, and a test when all of it is.
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

/** The entries that a group's severity, start and labels come from: those not resolved; all when all are resolved. */
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
