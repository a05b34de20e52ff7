// Names of databases, documents and collections: validation, parts and order.

import { invalid } from './errors.ts';
import { compareStrings } from './strings.ts';

/** Of an id of a document or collection (https://firebase.google.com/docs/firestore/quotas). */
const MAX_ID_BYTES = 1500;
const DATABASE = /^projects\/[^/]+\/databases\/[^/]+$/;
/** Ids that are numbers, written in one way only: two ids are never the same number. */
const NUMERIC_ID = /^__id(-?[1-9]\d*)__$/;
const RESERVED_ID = /^__.+__$/s;
const MAX_NUMERIC_ID_LENGTH = '__id-9223372036854775808__'.length;

/** Where a document is. */
export interface DocumentKey {
  /** `projects/P/databases/D` */
  database: string;
  /** Without the database: `sessions/1` */
  path: string;
}

/** The name of a document on the wire: `projects/P/databases/D/documents/PATH`. */
export const documentWireName = ({ database, path }: DocumentKey): string => `${database}/documents/${path}`;

/** All before a path's last slash: a document's collection, a collection's document or ''. */
export const cutParentPath = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** The part after the last slash. */
export const cutDocumentId = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The path of a document or collection below a parent, which is empty at the root. */
export const joinPath = (parent: string, id: string): string => (parent === '' ? id : `${parent}/${id}`);

/** @throws StatusError INVALID_ARGUMENT when it is not `projects/P/databases/D`. */
export function parseDatabase(name: string | undefined): string {
  if (name === undefined || !DATABASE.test(name)) {
    throw invalid(
      `Database name "${name ?? ''}" is not of the form projects/{project}/databases/{database}.`,
    );
  }
  return name;
}

/**
 * The document that a full name stands for.
 * @param kind names the field in the error.
 * @throws StatusError INVALID_ARGUMENT when it names no document or has an invalid id.
 */
export function parseDocumentName(name: string | undefined, kind = 'Document name'): DocumentKey {
  const key = splitName(name ?? '', kind);
  if (key.path === '') throw invalid(`${kind} "${name}" is invalid: Omit trailing "/".`);
  const ids = checkedIds(name ?? '', key.path, kind);
  if (ids.length % 2 === 1) throw lacksSlash(name ?? '', kind);
  return key;
}

/**
 * The document or root of a database below which something is: `projects/P/databases/D/documents[/a/b]`.
 * @throws StatusError INVALID_ARGUMENT when it is neither.
 */
export function parseParent(name: string | undefined): DocumentKey {
  const kind = 'Document parent name';
  const key = splitName(name ?? '', kind);
  if (name?.endsWith('/documents/')) throw invalid(`${kind} "${name}" is invalid: Omit trailing "/".`);
  if (key.path !== '' && checkedIds(name ?? '', key.path, kind).length % 2 === 1) {
    throw lacksSlash(name ?? '', kind);
  }
  return key;
}

/** @throws StatusError INVALID_ARGUMENT for an invalid id. */
export function checkCollectionId(id: string): void {
  if (id.includes('/')) throw invalid(`Collection id "${id}" is invalid because it contains "/".`);
  if (/^__.*__$/s.test(id)) throw invalid(`Collection id "${id}" is invalid because it is reserved.`);
  checkLength(id);
}

function splitName(name: string, kind: string): DocumentKey {
  const parts = /^(projects\/[^/]+\/databases\/[^/]+)\/documents(?:\/(.*))?$/s.exec(name);
  if (parts?.[1] !== undefined) return { database: parts[1], path: parts[2] ?? '' };
  if (!name.startsWith('projects/')) throw invalid(`${kind} "${name}" lacks "projects" at index 0.`);
  throw lacksSlash(name, kind);
}

const lacksSlash = (name: string, kind: string) =>
  invalid(`${kind} "${name}" lacks "/" at index ${name.length}.`);

function checkedIds(name: string, path: string, kind: string): string[] {
  const ids = path.split('/');
  if (ids.at(-1) === '') throw invalid(`${kind} "${name}" has invalid trailing "/".`);
  let index = name.length - path.length;
  for (const [place, id] of ids.entries()) {
    if (id === '') throw invalid(`${kind} "${name}" lacks a resource id at index ${index}.`);
    if (id === '.' || id === '..') {
      throw invalid(`${kind} "${name}" contains a resource id "${id}" at index ${index}.`);
    }
    if (place % 2 === 0) checkCollectionId(id);
    else if (RESERVED_ID.test(id)) checkNumericId(id);
    checkLength(id);
    index += id.length + 1;
  }
  return ids;
}

function checkNumericId(id: string): void {
  // Not read as a number before its length is known: that takes the square of it.
  if (id.length > MAX_NUMERIC_ID_LENGTH || !NUMERIC_ID.test(id)) {
    throw invalid(`Resource id "${id}" is invalid because it is reserved.`);
  }
  const number = parseNumericId(id) ?? 0n;
  if (BigInt.asIntN(64, number) === number) return;
  throw invalid(`Resource id "${id}" is invalid because it is not a 64 bit integer.`);
}

function checkLength(id: string): void {
  if (Buffer.byteLength(id) <= MAX_ID_BYTES) return;
  throw invalid(`The key path element name is longer than ${MAX_ID_BYTES} bytes.`);
}

const parseNumericId = (id: string): bigint | undefined => {
  const digits = NUMERIC_ID.exec(id)?.[1];
  return digits === undefined ? undefined : BigInt(digits);
};

/** The order of ids: numeric ones (`__id7__`) by their numbers, then all others by their UTF-8 bytes. */
function compareIds(left: string, right: string): number {
  const [a, b] = [parseNumericId(left), parseNumericId(right)];
  if (a === undefined || b === undefined) {
    return a === b ? compareStrings(left, right) : a === undefined ? 1 : -1;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The order of paths and full names: id by id. A document precedes its subcollections. */
export function comparePaths(left: string, right: string): number {
  if (left === right) return 0;
  const [a, b] = [left.split('/'), right.split('/')];
  const different = a.findIndex((id, index) => id !== b[index]);
  if (different === -1 || different >= b.length) return a.length - b.length;
  return compareIds(a[different] ?? '', b[different] ?? '');
}

/** Bytes whose order is the order of ids. */
export function encodeIdOrder(id: string): Buffer {
  const number = parseNumericId(id);
  if (number === undefined) return Buffer.from(`\u0001${id}`);
  const bytes = Buffer.alloc(9);
  // The sign is turned, so that negative numbers come first.
  bytes.writeBigUInt64BE(BigInt.asUintN(64, number) ^ (1n << 63n), 1);
  return bytes;
}
