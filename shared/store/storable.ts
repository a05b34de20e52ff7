// Firestore's restrictions on documents and paths (no nested arrays, `__name__` is reserved), checked before
// any request. Both adapters use the same checks, so that the simulation refuses the same documents as
// production.

import { TerminalError } from '../core/errors.ts';

/** https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields */
const MAX_ID_BYTES = 1500;
const RESERVED_NAME = /^__.*__$/s;

/**
 * A deep copy of an encoded document as Firestore stores it: without undefined fields, and with well-formed
 * text. Cut text can contain half a surrogate pair, which protobuf cannot encode; the client would retry it
 * endlessly.
 * @param path names the document in messages.
 * @throws TerminalError `DOCUMENT_INVALID` with the path of the fault: nested arrays, empty or reserved
 * names.
 */
export function storableDocument(document: Record<string, unknown>, path: string): Record<string, unknown> {
  return storableMap(document, { path, fields: [] });
}

/** As `storableDocument`, without a copy if nothing changes: for a client that does not keep the document. */
export function asStorable(document: Record<string, unknown>, path: string): Record<string, unknown> {
  return isStorable(document) ? document : storableDocument(document, path);
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return value !== undefined;
  if (value instanceof Date) return true;
  if (Array.isArray(value)) return value.every((element) => !Array.isArray(element) && isStorable(element));
  const entries = value as Record<string, unknown>;
  for (const name of Object.keys(entries))
    if (name === '' || isReserved(name) || !name.isWellFormed() || !isStorable(entries[name])) return false;
  return true;
}

/** A place in a document: its path, and the names of fields and positions in lists that lead to the place. */
interface Place {
  path: string;
  fields: string[];
}

function storableMap(map: object, place: Place): Record<string, unknown> {
  const entries = map as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(entries)) {
    const value = entries[name];
    if (value === undefined) continue;
    place.fields.push(name);
    if (name === '' || isReserved(name)) {
      throw invalidDocument(place, 'names may be neither empty nor of the form __name__');
    }
    copy[name.toWellFormed()] = storableValue(value, place);
    place.fields.pop();
  }
  return copy;
}

function storableValue(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return new Date(value);
  return Array.isArray(value) ? storableList(value, place) : storableMap(value, place);
}

function storableList(list: unknown[], place: Place): unknown[] {
  return list.map((element, index) => {
    place.fields.push(String(index));
    if (Array.isArray(element)) throw invalidDocument(place, 'an array in an array');
    const copy = storableValue(element, place);
    place.fields.pop();
    return copy;
  });
}

/**
 * Checks the path of a document or of a collection: valid segments, an even number of them for a document.
 * Paths contain ids from messages, so an invalid path is bad input.
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

/** Most names do not start like a reserved one, which takes less time to find out than the pattern. */
const isReserved = (name: string): boolean => name.startsWith('__') && RESERVED_NAME.test(name);

/** Why an id is invalid in Firestore; undefined if it is valid. */
export function idFault(id: string): string | undefined {
  if (id === '') return 'is empty';
  if (id === '.' || id === '..') return 'is a dot or two';
  if (isReserved(id)) return 'has the form __name__, which is reserved';
  if (!id.isWellFormed()) return 'holds half a surrogate pair';
  if (Buffer.byteLength(id) > MAX_ID_BYTES) return `has more than ${MAX_ID_BYTES} bytes`;
  return undefined;
}

function invalidDocument({ path, fields }: Place, why: string): TerminalError {
  return new TerminalError('DOCUMENT_INVALID', `${path} cannot be stored: ${fields.join('.')}: ${why}`);
}
