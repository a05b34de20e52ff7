// Reads the edges that sessions of a tenant have noted.

import type { Store } from '../../core/contract/store.ts';
import { readableType } from '../../core/schema/readable.ts';
import { type Topology, topologyType } from './topology.ts';

/** Sessions whose edges are read at once. */
const MOST_SESSIONS = 100;

/** The edges of sessions, and whether older sessions were left out. */
interface ReadTopology {
  /** The newest first. */
  sessions: readonly Topology[];
  isCut: boolean;
}

/**
 * Reads the edges of the tenant's latest sessions with edges at one of these names; without names, of all.
 * Expired and unreadable documents are left out.
 * @param names the last parts of canonical names, at most 30.
 * @throws RetryableError when the store fails.
 */
export async function readTopology(
  { tenantId, names }: { tenantId: string; names?: readonly string[] },
  store: Pick<Store, 'find'>,
  now: Date,
): Promise<ReadTopology> {
  const query = { collection: topologyType.paths.allTopology, equal: { tenantId }, limit: MOST_SESSIONS };
  const anyOf = names && { field: 'names', values: names.slice(0, 30) };
  const stored = await store.find({ ...query, ...(anyOf && { anyOf }) }, readableType(topologyType));
  return {
    sessions: stored.flatMap(({ value: { value } }) => (value && value.expireAt > now ? value : [])),
    isCut: stored.length === MOST_SESSIONS,
  };
}
