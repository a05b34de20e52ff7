// Sessions that a budget has deferred, in the order in which they start: chain by chain, the most severe alert first, then the
// oldest.

import { put, type Store, type Stored, type Write } from '../../../contract/store.ts';
import { paths, waitingSessionType } from '../../../schema/documents.ts';
import { rawDocumentType } from '../../../schema/documentType.ts';
import type { Session } from '../../../schema/session.ts';
import { severityRank } from '../../../schema/severityWords.ts';

/** A waiting session, read from the id of its entry: an entry that cannot be read does not keep the others from starting. */
export interface WaitingHead {
  chain: string;
  sessionId: string;
  /** Compares as the order in which sessions of all chains start. */
  order: string;
  entry: Pick<Stored<unknown>, 'id' | 'path'>;
}

/** The write that puts a deferred session in its place; none unless a budget has deferred it. @param since when it was deferred. */
export function waitingWrites(
  { sessionId, chain, alert, deferral, expireAt }: Session,
  since: Date,
): Write[] {
  if (deferral?.budgets == null) return [];
  const rank = severityRank(alert?.severity ?? null);
  // Ids sort by code point, so a time has the same number of digits everywhere and no dots.
  const time = since.toISOString().replaceAll('.', '-');
  const path = paths.waitingSession(chain.name, rank, time, sessionId);
  return [put(path, waitingSessionType, { sessionId, expireAt, createdAt: since })];
}

/**
 * The first waiting session of each chain. One read for each chain, and one more.
 * @throws RetryableError when the store fails.
 */
export async function firstWaiting(store: Pick<Store, 'list'>): Promise<WaitingHead[]> {
  const heads: WaitingHead[] = [];
  for (let from = FIRST_ID; ; ) {
    const head = await headFrom(from, LAST_ID, store);
    if (head === undefined) return heads;
    heads.push(head);
    from = endOf(head.chain);
  }
}

/**
 * The waiting session behind another one of the same chain; undefined for the last.
 * @throws RetryableError when the store fails.
 */
export function nextWaiting(
  { chain, entry }: WaitingHead,
  store: Pick<Store, 'list'>,
): Promise<WaitingHead | undefined> {
  return headFrom(behind(entry.id), endOf(chain), store);
}

/** Before and behind all ids: names of chains begin with a letter. */
const FIRST_ID = 'A';
const LAST_ID = '~';
/** Behind an id: a space sorts before every character of an id. */
const behind = (id: string): string => `${id} `;
/** Behind all ids of a chain: its name is followed by a dot and a digit. */
const endOf = (chain: string): string => `${chain}.~`;

async function headFrom(
  from: string,
  to: string,
  store: Pick<Store, 'list'>,
): Promise<WaitingHead | undefined> {
  const query = { collection: paths.waitingSessions, idRange: { from, to }, limit: 1 };
  const [entry] = await store.list(query, rawDocumentType);
  if (entry === undefined) return undefined;
  const [, chain, order, sessionId] = ENTRY_ID.exec(entry.id) ?? [];
  // A document of another program is left alone.
  if (chain === undefined || order === undefined || sessionId === undefined)
    return headFrom(behind(entry.id), to, store);
  return { chain, order, sessionId, entry };
}

/** The chain; then what orders its sessions: rank, time and the id of the session. */
const ENTRY_ID = /^([^.]+)\.(\d\.[^.]+\.(.+))$/;
