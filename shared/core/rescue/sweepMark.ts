// The mark of the sweep: records the progress of earlier runs, so that a run reads only late sessions. Losing
// it costs a listing.

import { type Store, saveDocument, type Version } from '../contract/store.ts';
import { TerminalError } from '../errors.ts';
import { paths, sweepMarkType } from '../schema/coreDocuments.ts';
import { rawDocumentType } from '../schema/documentType.ts';
import type { SweepMark } from '../schema/sweepMark.ts';

/** The largest difference between clocks of instances, and between a commit and the times it contains. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** The interval at which all open sessions are listed: a sixtieth of the cost of listing every minute. */
const LISTING_INTERVAL_MS = 3_600_000;
/** Longer than any pause of a schedule that is still in use. */
const MARK_RETENTION_MS = 30 * 24 * 3_600_000;

/** Longer than the minute between two ticks, so that a slightly late or early tick misses nothing. */
export const TICK_WINDOW_MS = 90_000;

type SweepScope =
  /** All open sessions; those that only a listing finds were last checked `unseenForMs` milliseconds ago. */
  | { kind: 'all'; unseenForMs: number /** One that has not ended. */; listing?: SweepMark['listing'] }
  /** Late sessions, and sessions of which an execution has ended since `endedSince`. */
  | { kind: 'late'; endedSince: Date };

/** The result of a run. */
export interface SweepRun {
  /** When it started, before its first read. */
  startedAt: Date;
  /** Whether it listed all open sessions to the end. */
  listed: boolean;
  /** Whether it handled everything it found, except permanent failures. */
  complete: boolean;
}

/**
 * Decides the scope of a run: everything if there is no plausible mark (none exists, or it is further in the
 * future than clocks differ), and an hour after the last listing.
 */
export function decideScope(mark: SweepMark | undefined, now: Date): SweepScope {
  if (mark === undefined || !isPlausible(mark, now)) return { kind: 'all', unseenForMs: TICK_WINDOW_MS };
  const listedAgo = now.getTime() - mark.listedAt.getTime();
  if (listedAgo >= LISTING_INTERVAL_MS) {
    const { listing } = mark;
    const isRecent = listing && now.getTime() - listing.startedAt.getTime() < LISTING_INTERVAL_MS;
    return { kind: 'all', unseenForMs: listedAgo + TICK_WINDOW_MS, ...(isRecent && { listing }) };
  }
  // The last listing handled earlier ends, so a session that keeps failing does not widen the query.
  const completedAt = Math.max(mark.completedAt.getTime(), now.getTime() - LISTING_INTERVAL_MS);
  return { kind: 'late', endedSince: new Date(completedAt - CLOCK_TOLERANCE_MS) };
}

/** The mark after a run. It only moves forward, except from an implausible time. */
export function markAfter(mark: SweepMark | undefined, { startedAt, listed, complete }: SweepRun): SweepMark {
  const known = mark !== undefined && isPlausible(mark, startedAt) ? mark : undefined;
  // Before any complete run: as far back as the queries go.
  const unseen = new Date(startedAt.getTime() - LISTING_INTERVAL_MS);
  const completedAt = latest(known?.completedAt ?? unseen, complete ? startedAt : unseen);
  return {
    completedAt,
    listedAt: latest(known?.listedAt ?? unseen, listed ? startedAt : unseen),
    ...(!listed && known?.listing !== undefined && { listing: known.listing }),
    expireAt: new Date(completedAt.getTime() + MARK_RETENTION_MS),
  };
}

/**
 * Reads the stored mark; undefined if it does not exist or is broken. @throws RetryableError, also
 * `SCHEMA_TOO_NEW`.
 */
export async function readMark(store: Store): Promise<SweepMark | undefined> {
  return (await readStored(store))?.mark;
}

/**
 * Stores the result of a run. Takes into account a mark that another sweep has moved in the meantime.
 * @throws RetryableError when the store fails, and for a mark of newer code, which stays unchanged.
 */
export async function moveMark(run: SweepRun, store: Store): Promise<void> {
  await changeMark((mark) => markAfter(mark, run), store);
}

/** Stores how far a listing is, for the next run if this one dies. @throws as `moveMark`. */
export async function noteListing(listing: NonNullable<SweepMark['listing']>, store: Store): Promise<void> {
  const unlisted = { startedAt: listing.startedAt, listed: false, complete: false };
  await changeMark((mark) => ({ ...markAfter(mark, unlisted), listing }), store);
}

async function changeMark(change: (mark: SweepMark | undefined) => SweepMark, store: Store): Promise<void> {
  const stored = await readStored(store);
  const mark = change(stored?.mark);
  const write = saveDocument(paths.sweepMark, sweepMarkType, mark, stored?.version);
  // Fails if another sweep was faster: the next sweep then checks the sessions of this one again.
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

/** Whether a mark is plausible: no clock is so far ahead. */
function isPlausible({ completedAt, listedAt }: SweepMark, now: Date): boolean {
  return latest(completedAt, listedAt).getTime() <= now.getTime() + CLOCK_TOLERANCE_MS;
}

const latest = (a: Date, b: Date): Date => (a > b ? a : b);
