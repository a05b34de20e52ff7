// Watches the documents of one tenant: leaves out documents of other tenants.

import type { CollectionQuery, Store, Stored } from '../../core/contract/store.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import { createLateReader } from './lateReader.ts';
import { ownDocuments } from './ownDocuments.ts';
import { findPathOwner } from './ownership.ts';
import type { TenantGuard } from './tenantGuard.ts';

/** `Store.watch` for a tenant's documents. Deletions only where all documents have one owner. */
export function watchOwn<T>(
  store: Store,
  guard: TenantGuard,
  query: CollectionQuery,
  type: DocumentType<T>,
  { onDocuments, onError, onDeleted }: Callbacks<T>,
): () => void {
  const owner = findPathOwner(query.collection);
  const reader = createLateReader(type);
  let isOver = false;
  let unwatch = () => {};
  const stop = () => {
    isOver = true;
    unwatch();
  };
  const fail = (error: unknown) => {
    if (isOver) return;
    stop();
    onError(error);
  };
  // The guard can have to read sessions. Changes that arrive meanwhile are delivered afterwards, in order.
  let last: Promise<void> = Promise.resolve();
  const enqueue = (deliver: () => void | Promise<void>) => {
    last = last.then(deliver).catch(fail);
  };
  const deliver = async (found: Stored<T>[]): Promise<void> => {
    const own = await ownDocuments(guard, owner, found, reader);
    if (!isOver && own.length > 0) onDocuments(own);
  };
  const deliverDeleted = (ids: string[]) => enqueue(() => (isOver ? undefined : onDeleted?.(ids)));
  const isAllOwn = owner.kind === 'below' && onDeleted !== undefined;
  const start = async (): Promise<void> => {
    if (!(await guard.canRead(owner)) || isOver) return;
    const onFound = (found: Stored<T>[]) => enqueue(() => deliver(found));
    unwatch = store.watch(query, reader.type, onFound, fail, isAllOwn ? deliverDeleted : undefined);
  };
  start().catch(fail);
  return stop;
}

/** The callbacks of `Store.watch`. */
interface Callbacks<T> {
  /** Gets the tenant's new and changed documents. */
  onDocuments: (documents: Stored<T>[]) => void;
  /** Called at most once; the watch has ended then. */
  onError: (error: unknown) => void;
  /** Gets the ids of the tenant's documents that were there before. */
  onDeleted?: ((ids: string[]) => void) | undefined;
}
