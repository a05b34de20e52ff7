// Leases to refresh the tokens of servers, as documents of the store. They contain no token.

import { createDocument, replaceDocument, type Store } from '../../../contract/store.ts';
import type { RefreshLeases } from '../../../contract/tokenVault.ts';
import { paths, tokenLeaseType } from '../../../schema/documents.ts';
import type { TokenLease } from '../../../schema/features/tokenLease.ts';

/** Longer than a refresh: each of its requests has a limit of ten seconds. */
const LEASE_MS = 60_000;
/** A lease only speeds up the next refresh, so it is kept for some days. */
const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * @param now the time in milliseconds.
 * @param newId a new id for each lease.
 */
export function createRefreshLeases(
  store: Pick<Store, 'get' | 'commit'>,
  now: () => number,
  newId: () => string,
): RefreshLeases {
  const read = (server: string) => store.get(paths.tokenLease(server), tokenLeaseType);
  return {
    version: async (server) => (await read(server))?.value.version ?? null,
    async take(server) {
      const path = paths.tokenLease(server);
      const stored = await read(server);
      const time = now();
      if (stored !== undefined && stored.value.holder !== null && stored.value.until.getTime() > time)
        return undefined;
      const version = stored?.value.version ?? null;
      const lease = (holder: string | null, until: number, known: string | null): TokenLease => ({
        server,
        holder,
        until: new Date(until),
        version: known,
        expireAt: new Date(until + KEPT_MS),
      });
      const taken = lease(newId(), time + LEASE_MS, version);
      const result = await store.commit([
        stored === undefined
          ? createDocument(path, tokenLeaseType, taken)
          : replaceDocument(path, tokenLeaseType, taken, stored.version),
      ]);
      const [held] = result.ok ? result.versions : [];
      if (held === undefined) return undefined;
      return {
        version,
        interrupted: stored !== undefined && stored.value.holder !== null,
        async release(known) {
          // Another instance can have taken over an expired lease: then this write does nothing.
          await store.commit([replaceDocument(path, tokenLeaseType, lease(null, now(), known), held)]);
        },
      };
    },
  };
}
