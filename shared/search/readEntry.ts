// Reads an entry of the knowledge base by its key.

import type { Store } from '../contract/store.ts';
import { knowledgeType, paths } from '../schema/documents.ts';
import type { Knowledge } from '../schema/features/knowledge.ts';

/** The owners of the entries to read: the tenant, with shared entries, and the user. */
export interface Scope {
  /** The tenant whose entries are read. */
  tenantId: string;
  /** Null for a session without a user. */
  userId: string | null;
}

/**
 * The entry of a key; undefined when the user can see no such entry.
 * @throws RetryableError `STORE_UNAVAILABLE`; the errors of the document type.
 */
export async function readEntry(
  key: string,
  { tenantId, userId }: Scope,
  { store, now }: { store: Pick<Store, 'get'>; now: Date },
): Promise<Knowledge | undefined> {
  const entry = (await store.get(paths.knowledgeEntry(tenantId, key), knowledgeType))?.value;
  if (entry === undefined || !isLive(entry, now)) return undefined;
  return entry.userId === null || entry.userId === userId ? entry : undefined;
}

/** Whether an entry is found: it was not removed, and is not too old. The database deletes such ones up to days later. */
export function isLive({ expireAt }: Knowledge, now: Date): boolean {
  return expireAt === null || expireAt > now;
}
