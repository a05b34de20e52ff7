// The mark of the sweep: what earlier runs have seen, so that a run reads only what is late. Losing it costs a listing.

import { create, replace, type Store, type Version } from '../../contract/store.ts';
import { TerminalError } from '../../errors.ts';
import { paths, sweepMarkType } from '../../schema/documents.ts';
import { rawDocumentType } from '../../schema/documentType.ts';
import type { SweepMark } from '../../schema/sweepMark.ts';

/** The most by which clocks of instances may differ, and a commit may be later than the times it holds. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** How often all open sessions are listed. It bounds the cost of the listing to a sixtieth of one every minute. */
const LISTING_INTERVAL_MS = 3_600_000;
/** Longer than any pause of a schedule that is still in use. */
const MARK_RETENTION_MS = 30 * 24 * 3_600_000;

/** Longer than the minute between two ticks, so that a tick that is a little late or early misses nothing. */
export const TICK_WINDOW_MS = 90_000;

/** What a run looks at. */
export type SweepScope =
  /** Every open session; what only listings find was seen `unseenForMs` milliseconds ago. */
  | { kind: 'all'; unseenForMs: number }
  /** What is late, and sessions of which an execution has ended since `endedSince`. */
  | { kind: 'late'; endedSince: Date };

/** What a run has done. */
export interface SweepRun {
  /** When it began, before its first read. */
  startedAt: Date;
  /** Whether it listed all open sessions to the end. */
  listed: boolean;
  /** Whether everything it found was handled, but for what no repetition can handle. */
  complete: boolean;
}

/**
 * Decides what a run looks at. Without a mark that can be right it is everything: when there is none, when it is further
 * in the future than clocks differ, and an hour after the last listing.
 */
export function decideScope(mark: SweepMark | undefined, now: Date): SweepScope {
  if (mark === undefined || !isPlausible(mark, now)) return { kind: 'all', unseenForMs: TICK_WINDOW_MS };
  const listedAgo = now.getTime() - mark.listedAt.getTime();
  if (listedAgo >= LISTING_INTERVAL_MS) return { kind: 'all', unseenForMs: listedAgo + TICK_WINDOW_MS };
  // What ended earlier was seen by the last listing, so a session that fails again and again does not widen the query.
  const completedAt = Math.max(mark.completedAt.getTime(), now.getTime() - LISTING_INTERVAL_MS);
  return { kind: 'late', endedSince: new Date(completedAt - CLOCK_TOLERANCE_MS) };
}

/** The mark after a run. It never goes back, but from where it cannot have been. */
export function markAfter(mark: SweepMark | undefined, { startedAt, listed, complete }: SweepRun): SweepMark {
  const known = mark !== undefined && isPlausible(mark, startedAt) ? mark : undefined;
  // Before any complete run: as far back as the queries reach.
  const unseen = new Date(startedAt.getTime() - LISTING_INTERVAL_MS);
  const completedAt = latest(known?.completedAt ?? unseen, complete ? startedAt : unseen);
  return {
    completedAt,
    listedAt: latest(known?.listedAt ?? unseen, listed ? startedAt : unseen),
    expireAt: new Date(completedAt.getTime() + MARK_RETENTION_MS),
  };
}

/** The mark as it is stored; undefined when there is none, or one that is broken. @throws RetryableError, also `SCHEMA_TOO_NEW`. */
export async function readMark(store: Store): Promise<SweepMark | undefined> {
  return (await readStored(store))?.mark;
}

/**
 * Stores what a run has done. A mark that another sweep has moved meanwhile is taken into account.
 * @throws RetryableError when the store fails, and for a mark of newer code; it stays as it is then.
 */
export async function moveMark(run: SweepRun, store: Store): Promise<void> {
  const stored = await readStored(store);
  const mark = markAfter(stored?.mark, run);
  const write =
    stored === undefined
      ? create(paths.sweepMark, sweepMarkType, mark)
      : replace(paths.sweepMark, sweepMarkType, mark, stored.version);
  // Refused when another sweep was faster: what this one saw is then looked at once more.
  await store.commit([write]);
}

async function readStored(
  store: Store,
): Promise<{ mark: SweepMark | undefined; version: Version } | undefined> {
  const stored = await store.get(paths.sweepMark, rawDocumentType);
  if (stored === undefined) return undefined;
  const { version } = stored;
  try {
    return { mark: sweepMarkType.decode(stored.value, paths.sweepMark), version };
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    return { mark: undefined, version };
  }
}

/** Whether a mark may be right: no clock is so far ahead. */
function isPlausible({ completedAt, listedAt }: SweepMark, now: Date): boolean {
  return latest(completedAt, listedAt).getTime() <= now.getTime() + CLOCK_TOLERANCE_MS;
}

const latest = (a: Date, b: Date): Date => (a > b ? a : b);
