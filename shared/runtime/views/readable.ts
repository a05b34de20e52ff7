// Reads documents for people: one that cannot be read is named, and hides none of the others.

import type { ListQuery, Store } from '../../contract/store.ts';
import { type ErrorCode, InquestError } from '../../errors.ts';
import { type DocumentType, rawDocumentType } from '../../schema/documentType.ts';

/** A document that this code cannot read. */
export interface Unreadable {
  path: string;
  /** `DOCUMENT_INVALID`, `SCHEMA_TOO_NEW` or `SCHEMA_UNSUPPORTED`. */
  code: ErrorCode;
  /** Names the path, and the field or the version. */
  message: string;
}

/** A document that was read, or why it cannot be read; neither when there is none. */
interface ReadDocument<T> {
  value?: T | undefined;
  unreadable?: Unreadable | undefined;
}

/** Decodes a stored document. @throws what is no error of the document. */
export function decodeReadable<T>(
  data: Record<string, unknown>,
  path: string,
  type: DocumentType<T>,
): ReadDocument<T> {
  try {
    return { value: type.decode(data, path) };
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    return { unreadable: { path, code: error.code, message: error.message } };
  }
}

/** Reads one document. @throws RetryableError when the store fails. */
export async function getReadable<T>(
  path: string,
  type: DocumentType<T>,
  store: Pick<Store, 'get'>,
): Promise<ReadDocument<T>> {
  const stored = await store.get(path, rawDocumentType);
  return stored === undefined ? {} : decodeReadable(stored.value, path, type);
}

/** Reads a collection: those that can be read in their order, and the others. @throws RetryableError when the store fails. */
export async function listReadable<T>(
  query: ListQuery,
  type: DocumentType<T>,
  store: Pick<Store, 'list'>,
): Promise<{ values: T[]; unreadable: Unreadable[] }> {
  const stored = await store.list(query, rawDocumentType);
  return split(stored.map(({ path, value }) => decodeReadable(value, path, type)));
}

/** Readable documents apart from the others. */
export function split<T>(documents: readonly ReadDocument<T>[]): { values: T[]; unreadable: Unreadable[] } {
  return {
    values: documents.flatMap(({ value }) => (value === undefined ? [] : [value])),
    unreadable: documents.flatMap(({ unreadable }) => unreadable ?? []),
  };
}
