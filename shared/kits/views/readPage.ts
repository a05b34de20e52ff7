// Pages of lists: as many documents as a page has and one more, which shows that there is a next page.

import * as z from 'zod';
import type { Store } from '../../core/contract/store.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import { type ReadDocument, readableType, type Unreadable } from '../../core/schema/readable.ts';
import { jsonBytes } from '../../text/json.ts';

/** UTF-8 bytes. */
const PAGE_BYTES = 800_000;
/**
 * Documents of one query. A document can have a megabyte; documents beyond the page are read again for the
 * next one.
 */
const STEP = 25;
/** Sorts after every id. */
const LAST = '\uf8ff';
/** Sorts before every character of an id: behind an id, it is where the next one can be. */
const FIRST = '!';

/** The end of a page, in an answer. */
export const nextSchema = z.string().nullable().describe('Value for `after`; null on the last page');

/** The ids after one; all without it. */
export const idsAfter = (after: string | undefined): { from: string; to: string } => ({
  from: `${after ?? ''}${FIRST}`,
  to: LAST,
});

/** The page of what was read: `limit` elements, and one more if the list goes on. */
export function cutPage<T extends { id: string }>(
  read: readonly T[],
  limit: number,
): { page: T[]; next: string | null } {
  const page = read.slice(0, limit);
  return { page, next: read.length > limit ? (page.at(-1)?.id ?? null) : null };
}

interface PageRequest<T, J> {
  /** Path of the collection. */
  collection: string;
  /** The type of its documents. */
  type: DocumentType<T>;
  /** Only ids with this prefix. Default: all. */
  prefix?: string;
  /** The first id. Default: that of the prefix. */
  from?: string;
  /** Only ids after this one, which must have the prefix, too: `next` of the previous page. */
  after?: string | undefined;
  /** Documents at most. Default: as many as the size permits. */
  limit?: number | undefined;
  /** The size as JSON, unless a single item is larger. Default: 800 kB. */
  maxBytes?: number;
  /** Converts a document to an item. */
  show(id: string, value: T): J;
}

/** Items in the order of their ids. */
export interface Page<J> {
  /** The documents that can be read. */
  items: J[];
  /** The others. The page has at least one of either, unless the collection ends. */
  unreadable: Unreadable[];
  /** For `after`; null on the last page. */
  next: string | null;
}

/**
 * Reads a page: 25 documents at a time, until it has `limit` or `maxBytes`, or the collection ends.
 * @throws RetryableError when the store fails.
 */
export async function readPage<T, J>(
  { collection, type, prefix = '', from: first, after, show, ...most }: PageRequest<T, J>,
  store: Pick<Store, 'list'>,
): Promise<Page<J>> {
  const { limit = Number.POSITIVE_INFINITY, maxBytes = PAGE_BYTES } = most;
  const items: J[] = [];
  const unreadable: Unreadable[] = [];
  let [bytes, read, last] = [0, 0, after];
  for (;;) {
    const from = last === undefined ? (first ?? (prefix || FIRST)) : `${last}${FIRST}`;
    const step = Math.min(STEP, limit - read + 1);
    const query = { collection, idRange: { from, to: `${prefix}${LAST}` }, limit: step };
    const found = await store.list(query, readableType(type));
    for (const {
      id,
      value: { value, unreadable: fault },
    } of found) {
      const shown = value === undefined ? [] : [show(id, value)];
      bytes += shown.length === 0 ? 0 : jsonBytes(shown[0]) + 1;
      if (read === limit || (items.length > 0 && bytes > maxBytes))
        return { items, unreadable, next: last ?? null };
      items.push(...shown);
      if (fault !== undefined) unreadable.push(fault);
      [read, last] = [read + 1, id];
    }
    if (found.length < step) return { items, unreadable, next: null };
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
