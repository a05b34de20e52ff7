// Reads a page of a collection, up to the size limit of a response.

import type { Store } from '../../core/contract/store.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import { type ReadDocument, readableType, type Unreadable } from '../../core/schema/readable.ts';
import { jsonBytes } from '../../text/json.ts';

/** UTF-8 bytes of a page as JSON, unless a single item is larger. */
const PAGE_BYTES = 800_000;
/**
 * Documents of one query. A document can have a megabyte; documents beyond the page are read again for the
 * next one.
 */
const STEP = 25;
/** Sorts after every id. */
const LAST = '\uf8ff';

interface PageRequest<T, J> {
  /** Path of the collection. */
  collection: string;
  /** The type of its documents. */
  type: DocumentType<T>;
  /** Only ids with this prefix. Default: all. */
  prefix?: string;
  /** Only ids after this one, which must have the prefix, too: `next` of the previous page. */
  after?: string | undefined;
  /** Items at most. Default: as many as the size permits. */
  limit?: number | undefined;
  /** Converts a document to an item. */
  show(id: string, value: T): J;
}

/** Items in the order of their ids. */
export interface Page<J> {
  /** At least one item, unless the collection ends. */
  items: J[];
  /** Documents of the page that cannot be read and are left out. */
  unreadable: Unreadable[];
  /** For `after`; null on the last page. */
  next: string | null;
}

/**
 * Reads a page: 25 documents at a time, until it has 800 kB or the collection ends.
 * @throws RetryableError when the store fails.
 */
export async function readPage<T, J>(
  { collection, type, prefix = '', after, limit = Number.POSITIVE_INFINITY, show }: PageRequest<T, J>,
  store: Pick<Store, 'list'>,
): Promise<Page<J>> {
  const items: J[] = [];
  const unreadable: Unreadable[] = [];
  let bytes = 0;
  let last = after;
  for (;;) {
    const from = last ?? prefix;
    const idRange = from === '' ? {} : { idRange: { from, to: `${prefix}${LAST}` } };
    // One more shows whether the collection goes on. The one that the page follows is read again.
    const step = Math.min(STEP, limit - items.length + 1);
    const found = await store.list({ collection, ...idRange, limit: step }, readableType(type));
    for (const { id, value: read } of found) {
      if (id === last) continue;
      const { value, unreadable: fault } = read;
      if (fault !== undefined || value === undefined) {
        if (fault !== undefined) unreadable.push(fault);
        last = id;
        continue;
      }
      const item = show(id, value);
      bytes += jsonBytes(item) + 1;
      if (items.length > 0 && (bytes > PAGE_BYTES || items.length >= limit))
        return { items, unreadable, next: last ?? null };
      items.push(item);
      last = id;
    }
    if (found.length < step) return { items, unreadable, next: null };
    if (items.length >= limit) return { items, unreadable, next: last ?? null };
  }
}

/** Whether a document does not exist; an unreadable document exists. */
export function isAbsent({ value, unreadable }: ReadDocument<unknown>): boolean {
  return value === undefined && unreadable === undefined;
}

/** Adds to a page the document that owns its items, if that cannot be read. */
export function withOwner<J>(page: Page<J>, { unreadable }: ReadDocument<unknown>): Page<J> {
  return unreadable === undefined ? page : { ...page, unreadable: [unreadable, ...page.unreadable] };
}
