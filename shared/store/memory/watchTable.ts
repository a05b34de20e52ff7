// Watches of the store in memory: changes are delivered in the next microtask, all at once.

import type { CollectionQuery } from '../../core/contract/store.ts';
import type { DocumentTable, Entry } from './documentTable.ts';
import { byId, cutLastId, isSelected } from './selection.ts';

/** The callbacks of a watch; a throwing callback ends it. */
interface Callbacks {
  /** Gets the new and changed documents, in id order; never an empty list. */
  onDocuments: (found: [path: string, entry: Entry][]) => void;
  /** Gets the error that another callback threw. */
  onError: (error: unknown) => void;
  /** Gets the ids of documents that were delivered before; never an empty list. */
  onDeleted: (ids: string[]) => void;
}

/** Watches the documents of a query, as `Store.watch`. @returns the function that ends the watch. */
export function watchTable(
  table: DocumentTable,
  query: CollectionQuery,
  { onDocuments, onError, onDeleted }: Callbacks,
): () => void {
  let isActive = true;
  let changed = new Set<string>();
  const delivered = new Set<string>();
  const deliver = () => {
    if (!isActive || changed.size === 0) return;
    const found = table
      .all()
      .filter(([path]) => changed.has(path))
      .sort(byId);
    const deleted = [...changed].filter((path) => table.get(path) === undefined && delivered.has(path));
    changed = new Set();
    for (const path of deleted) delivered.delete(path);
    for (const [path] of found) delivered.add(path);
    try {
      if (found.length > 0) onDocuments(found);
      if (deleted.length > 0 && isActive) onDeleted(deleted.map(cutLastId));
    } catch (error) {
      stop();
      onError(error);
    }
  };
  const note = (path: string) => {
    if (!isSelected(path, query)) return;
    if (changed.size === 0) queueMicrotask(deliver);
    changed.add(path);
  };
  const unlisten = table.listen(note);
  const stop = () => {
    isActive = false;
    unlisten();
  };
  for (const [path] of table.all()) note(path);
  return stop;
}
