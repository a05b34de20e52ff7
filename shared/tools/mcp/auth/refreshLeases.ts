// Leases to refresh the tokens of servers, as documents of the store. They contain no token.

import type { RefreshLeases } from '../../../contract/tokenVault.ts';
import { claimLease, isHeld, type Lease } from '../../../core/contract/lease.ts';
import { replaceDocument, type Store, saveDocument } from '../../../core/contract/store.ts';
import { type TokenLease, tokenLeaseType } from './tokenLease.ts';

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
  const read = (server: string) => store.get(tokenLeaseType.paths.tokenLease(server), tokenLeaseType);
  return {
    version: async (server) => (await read(server))?.value.version ?? null,
    async take(server) {
      const path = tokenLeaseType.paths.tokenLease(server);
      const stored = await read(server);
      const time = new Date(now());
      const earlier = stored && storedLease(stored.value);
      if (isHeld(earlier, time)) return undefined;
      const version = stored?.value.version ?? null;
      const leaseOf = (fields: Pick<TokenLease, 'holder' | 'until' | 'version'>): TokenLease => ({
        ...fields,
        server,
        expireAt: new Date(fields.until.getTime() + KEPT_MS),
      });
      const taken = leaseOf({ ...claimLease(newId(), LEASE_MS, time), version });
      const result = await store.commit([saveDocument(path, tokenLeaseType, taken, stored?.version)]);
      const [held] = result.ok ? result.versions : [];
      if (held === undefined) return undefined;
      return {
        version,
        interrupted: earlier != null,
        async release(known) {
          // Another instance can have taken over an expired lease: then this write does nothing.
          const released = leaseOf({ holder: null, until: new Date(now()), version: known });
          await store.commit([replaceDocument(path, tokenLeaseType, released, held)]);
        },
      };
    },
  };
}

/** A stored lease keeps its end after a release. */
const storedLease = ({ holder, until }: TokenLease): Lease | null =>
  holder === null ? null : { holder, until };
