// Firestore's restrictions on documents and paths (no nested arrays, `__name__` is reserved), checked before any request.
// Both adapters use the same checks, so that the simulation refuses what production would.

import { TerminalError } from '../errors.ts';

/** https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields */
const MAX_ID_BYTES = 1500;
const RESERVED_NAME = /^__.*__$/s;

/**
 * A deep copy of an encoded document as Firestore stores it: without undefined fields, and with well-formed text. Cut
 * text can contain half a surrogate pair, which protobuf cannot encode; the client would retry it endlessly.
 * @param path names the document in messages.
 * @throws TerminalError `DOCUMENT_INVALID` with the path of the fault: nested arrays, empty or reserved names.
 */
export function storable(document: Record<string, unknown>, path: string): Record<string, unknown> {
  return storableMap(document, path, '');
}

function storableMap(map: object, path: string, at: string): Record<string, unknown> {
  const entries = Object.entries(map).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const field = at === '' ? name : `${at}.${name}`;
      if (name === '' || RESERVED_NAME.test(name)) {
        throw invalid(path, field, 'names may be neither empty nor of the form __name__');
      }
      return [name.toWellFormed(), storableValue(value, path, field)];
    }),
  );
}

function storableValue(value: unknown, path: string, at: string): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (value instanceof Date) return new Date(value);
  if (Array.isArray(value)) {
    return value.map((element, index) => {
      if (Array.isArray(element)) throw invalid(path, `${at}.${index}`, 'an array in an array');
      return storableValue(element, path, `${at}.${index}`);
    });
  }
  if (typeof value === 'object' && value !== null) return storableMap(value, path, at);
  return value;
}

/**
 * Checks the path of a document or of a collection: valid segments, an even number of them for a document. Paths contain
 * ids from messages, so an invalid path is bad input.
 * @throws TerminalError `DOCUMENT_INVALID`.
 */
export function checkPath(path: string, kind: 'document' | 'collection'): void {
  const isOfKind = isDocumentPath(path) === (kind === 'document');
  if (!isOfKind || path.split('/').some((segment) => idFault(segment) !== undefined)) {
    const shown = JSON.stringify(path.slice(0, 200));
    throw new TerminalError('DOCUMENT_INVALID', `${shown} is not the path of a ${kind}`);
  }
}

/** Whether it is the path of a document: an even number of segments. */
export function isDocumentPath(path: string): boolean {
  return path.split('/').length % 2 === 0;
}

/** Why an id is invalid in Firestore; undefined if it is valid. */
export function idFault(id: string): string | undefined {
  if (id === '') return 'is empty';
  if (id === '.' || id === '..') return 'is a dot or two';
  if (RESERVED_NAME.test(id)) return 'has the form __name__, which is reserved';
  if (!id.isWellFormed()) return 'holds half a surrogate pair';
  if (Buffer.byteLength(id) > MAX_ID_BYTES) return `has more than ${MAX_ID_BYTES} bytes`;
  return undefined;
}

function invalid(path: string, field: string, why: string): TerminalError {
  return new TerminalError('DOCUMENT_INVALID', `${path} cannot be stored: ${field}: ${why}`);
}
