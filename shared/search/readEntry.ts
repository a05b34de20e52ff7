// Reads a knowledge entry by its key, or by the reference to a session's entry in prompts.

import type { Store } from '../core/contract/store.ts';
import { referenceDigits, sessionReference } from '../text/sessionReference.ts';
import { type Knowledge, knowledgeType } from './knowledge.ts';
import { listTrigrams } from './trigrams.ts';

/** The owners of the entries to read: the tenant, with shared entries, and the user. */
export interface Scope {
  /** The tenant whose entries are read. */
  tenantId: string;
  /** Null for a session without a user. */
  userId: string | null;
}

/** Entries that share three digits with a reference, and are compared with it. */
const MAX_CANDIDATES = 300;

/**
 * The entry of a key or reference; undefined when the user can see no such entry.
 * @throws RetryableError `STORE_UNAVAILABLE`; the errors of the document type.
 */
export async function readEntry(
  key: string,
  scope: Scope,
  { store, now }: { store: Pick<Store, 'get' | 'find'>; now: Date },
): Promise<Knowledge | undefined> {
  const stored = await store.get(knowledgeType.paths.knowledgeEntry(scope.tenantId, key), knowledgeType);
  const entry = stored?.value ?? (await findReferred(key, scope, store));
  if (entry === undefined || !isLive(entry, now)) return undefined;
  return entry.userId === null || entry.userId === scope.userId ? entry : undefined;
}

async function findReferred(
  reference: string,
  { tenantId, userId }: Scope,
  store: Pick<Store, 'find'>,
): Promise<Knowledge | undefined> {
  const digits = referenceDigits(reference);
  if (digits === undefined) return undefined;
  const anyOf = { field: 'trigrams', values: listTrigrams(digits) };
  const owners = userId === null ? [null] : [null, userId];
  const found = await Promise.all(
    owners.map((owner) => {
      const equal = { tenantId, userId: owner, kind: 'session' };
      return store.find(
        { collection: knowledgeType.paths.knowledge, equal, anyOf, limit: MAX_CANDIDATES },
        knowledgeType,
      );
    }),
  );
  return found.flat().find(({ value }) => sessionReference(value.key) === reference)?.value;
}

/** Whether an entry is found: not removed, not expired. The database deletes days later. */
export function isLive({ expireAt }: Knowledge, now: Date): boolean {
  return expireAt === null || expireAt > now;
}
