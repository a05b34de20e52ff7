// Finds the sessions that a budget has deferred, in the order in which they start: within a chain, the most
// severe alert first, then the oldest.

import type { Store, Stored } from '../../core/contract/store.ts';
import { rawDocumentType } from '../../core/schema/documentType.ts';
import { waitingSessionType } from '../../kits/alerts/waitingSession.ts';

/** A waiting session, parsed from the id of its entry: an unreadable entry does not block the others. */
export interface WaitingHead {
  /** The chain whose budgets the session waits for. */
  chain: string;
  /** The id of the deferred session. */
  sessionId: string;
  /** Sort key in the start order, comparable between chains: rank of the severity, time and session id. */
  order: string;
  /** The document of the entry. */
  entry: Pick<Stored<unknown>, 'id' | 'path'>;
}

/**
 * Returns the first waiting session of each chain. One read for each chain, and one to find the end.
 * @throws RetryableError when the store fails.
 */
export async function firstWaiting(store: Pick<Store, 'list'>): Promise<WaitingHead[]> {
  const heads: WaitingHead[] = [];
  for (let from = FIRST_ID; ; ) {
    const head = await headFrom(from, LAST_ID, store);
    if (head === undefined) return heads;
    heads.push(head);
    from = positionAfterChain(head.chain);
  }
}

/**
 * Returns the next waiting session of the same chain; undefined for the last.
 * @throws RetryableError when the store fails.
 */
export function nextWaiting(
  { chain, entry }: WaitingHead,
  store: Pick<Store, 'list'>,
): Promise<WaitingHead | undefined> {
  return headFrom(behind(entry.id), positionAfterChain(chain), store);
}

/** Sorts before and after all ids: names of chains start with a letter. */
const FIRST_ID = 'A';
const LAST_ID = '~';
/** A position just after an id: a space sorts before every character of an id. */
const behind = (id: string): string => `${id} `;
/** A position after all ids of a chain: its name is followed by a dot and a digit. */
const positionAfterChain = (chain: string): string => `${chain}.~`;

async function headFrom(
  from: string,
  to: string,
  store: Pick<Store, 'list'>,
): Promise<WaitingHead | undefined> {
  const query = { collection: waitingSessionType.paths.waitingSessions, idRange: { from, to }, limit: 1 };
  const [entry] = await store.list(query, rawDocumentType);
  if (entry === undefined) return undefined;
  const [, chain, order, sessionId] = ENTRY_ID.exec(entry.id) ?? [];
  // Documents of other programs are ignored.
  if (chain === undefined || order === undefined || sessionId === undefined)
    return headFrom(behind(entry.id), to, store);
  return { chain, order, sessionId, entry };
}

/** The chain, then the sort key of its sessions: rank, time and the id of the session. */
const ENTRY_ID = /^([^.]+)\.(\d\.[^.]+\.(.+))$/;
