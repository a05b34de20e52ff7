// How often the alert of a session was reported. A document of the session counts the first reports of a
// kind, and is written every five seconds at most after these. A report that comes sooner counts by its key
// alone: the first of them notes this in the document, and readers add the keys.

import { type AlertCounts, alertCountsType } from '../../../alerts/schema/incident.ts';
import { type Store, type Stored, saveDocument, type Write } from '../../../core/contract/store.ts';
import type { Session } from '../../../core/schema/session.ts';
import { noCounts } from '../alertEvents.ts';
import { alertKeyType } from './alertKeyDocument.ts';

/** The least time between two writes of the counts of a session. */
const WRITTEN_EVERY_MS = 5_000;
/** So many reports of a kind write the counts whenever they come: readers see each change of the state. */
const WRITTEN_EACH = 3;

type ReportCounts = NonNullable<AlertCounts['base']>;
/** A kind of report. */
type ReportKind = keyof ReportCounts;
const KINDS: readonly ReportKind[] = ['firing', 'resolved', 'acknowledged', 'joined'];

/** How a report is counted. */
interface PlannedCount {
  /** The kind as which its key counts; null if the document counts it. */
  counted: ReportKind | null;
  /** Reports of its kind by now, with it. */
  total: number;
  /** Whether it, or one since the latest event, has an event in the timeline. */
  isEventDue: boolean;
  /** The number of events so far. */
  events: number;
  /** Whether the document is written. */
  isWritten: boolean;
  /** The writes of the document. They fail if another report has changed it. */
  writes(events: 0 | 1): Write[];
}

/**
 * Plans how a report of a session is counted. Reads no document.
 * @param stored the counts before it; undefined before the first report.
 * @throws RetryableError when the store fails.
 */
export async function planCount(
  session: Pick<Session, 'sessionId' | 'expireAt'>,
  stored: Stored<AlertCounts> | undefined,
  kind: ReportKind,
  now: Date,
  store: Pick<Store, 'count'>,
): Promise<PlannedCount> {
  const { sessionId, expireAt } = session;
  const before = stored?.value ?? noCounts(now, expireAt);
  const isSoon = before[kind] >= WRITTEN_EACH && now.getTime() - before.lastAt.getTime() < WRITTEN_EVERY_MS;
  const isInKeys = before.base !== null || isSoon;
  if (before.base !== null && isSoon)
    return {
      counted: kind,
      total: before[kind],
      isEventDue: false,
      events: before.events,
      isWritten: false,
      writes: () => [],
    };
  const earlier =
    before.base === null ? before[kind] : before.base[kind] + (await countKeys(sessionId, kind, store));
  const total = Math.max(earlier, before[kind]) + 1;
  const base = isInKeys ? (before.base ?? pickCounts(before)) : null;
  const path = alertCountsType.paths.alertCounts(sessionId);
  return {
    counted: isInKeys ? kind : null,
    total,
    isEventDue: hasEventWithin(kind, before[kind], total),
    events: before.events,
    isWritten: true,
    writes(events) {
      const counts = { ...before, [kind]: total, base, events: before.events + events, lastAt: now };
      return [saveDocument(path, alertCountsType, counts, stored?.version)];
    },
  };
}

/** Whether one of the reports after `before` has an event. The session itself shows that it fires. */
function hasEventWithin(kind: ReportKind, before: number, total: number): boolean {
  const first = kind === 'firing' ? Math.max(before + 1, 2) : before + 1;
  for (let count = first; count <= total; count++) if (hasEvent(count)) return true;
  return false;
}

const pickCounts = ({ firing, resolved, acknowledged, joined }: ReportCounts): ReportCounts => ({
  firing,
  resolved,
  acknowledged,
  joined,
});

/**
 * The write that a person's correction makes: another number of joined alerts, and an event. It fails if
 * another report has changed the counts.
 * @param change.isInKey the alert is counted by its key, which changes with it.
 */
export function correctJoined(
  { sessionId, expireAt }: Pick<Session, 'sessionId' | 'expireAt'>,
  stored: Stored<AlertCounts> | undefined,
  { joined, events, isInKey = false }: { joined: number; events: number; isInKey?: boolean },
  now: Date,
): Write {
  const before = stored?.value ?? noCounts(now, expireAt);
  const base =
    before.base && !isInKey ? { ...before.base, joined: before.base.joined + joined } : before.base;
  const sum = { joined: before.joined + joined, events: before.events + events };
  const path = alertCountsType.paths.alertCounts(sessionId);
  return saveDocument(path, alertCountsType, { ...before, ...sum, base, lastAt: now }, stored?.version);
}

/**
 * The counts of a session with the reports that are counted by their keys.
 * @throws RetryableError when the store fails.
 */
export async function addKeys<T extends Pick<AlertCounts, 'base'>>(
  sessionId: string,
  counts: T,
  store: Pick<Store, 'count'>,
): Promise<T> {
  const { base } = counts;
  if (base === null) return counts;
  const count = async (kind: ReportKind) => [kind, base[kind] + (await countKeys(sessionId, kind, store))];
  return { ...counts, ...Object.fromEntries(await Promise.all(KINDS.map(count))) };
}

const countKeys = (sessionId: string, counted: ReportKind, store: Pick<Store, 'count'>): Promise<number> =>
  store.count({ collection: alertKeyType.paths.alertKeys, equal: { sessionId, counted } });

/** Up to this count each repetition has an event; above it only round numbers have one. */
const EACH_UP_TO = 10;

/** Whether the `count`th report of a kind has an event of its own: 1 to 10, 20, 50, 100, 200, 500, … */
export function hasEvent(count: number): boolean {
  if (count <= EACH_UP_TO) return true;
  return [1, 2, 5].includes(count / 10 ** Math.floor(Math.log10(count)));
}
