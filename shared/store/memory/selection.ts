// How the store in memory selects and orders documents: as Firestore does.

import type { CollectionQuery, MatchQuery, SelectionQuery } from '../../core/contract/store.ts';
import { valueAt } from '../fieldPath.ts';

/** The last segment of a path. */
export function cutLastId(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether a document is in the collection and the range of ids of a query. */
export function isSelected(path: string, { collection, ...range }: CollectionQuery): boolean {
  const id = cutLastId(path);
  return path === `${collection}/${id}` && isInRange(id, range);
}

/** Whether the fields of a document of the collection are those of a query. */
export function hasTexts(
  data: Record<string, unknown>,
  { equal = {}, by, ...range }: SelectionQuery,
): boolean {
  if (!isMatch(data, { equal })) return false;
  const text = by === undefined ? undefined : data[by];
  return by === undefined || (typeof text === 'string' && isInRange(text, range));
}

function isInRange(
  text: string,
  { idPrefix = '', idRange }: Pick<CollectionQuery, 'idPrefix' | 'idRange'>,
): boolean {
  if (idRange === undefined) return text.startsWith(idPrefix);
  return compareIds(idRange.from, text) <= 0 && compareIds(text, idRange.to) <= 0;
}

/** Whether the fields of a document match a query. */
export function isMatch(
  data: Record<string, unknown>,
  { equal, anyOf }: Pick<MatchQuery, 'equal' | 'anyOf'>,
): boolean {
  const isEqual = Object.entries(equal).every(([field, value]) => valueAt(data, field) === value);
  if (!isEqual || anyOf === undefined) return isEqual;
  const list = valueAt(data, anyOf.field);
  return Array.isArray(list) && anyOf.values.some((value) => list.includes(value));
}

/**
 * The cosine distance of a stored vector, from 0 to 2. NaN, which is within no limit, when there is no vector
 * of as many dimensions, or when one has the length 0.
 */
export function cosineDistance(stored: unknown, vector: readonly number[]): number {
  if (!Array.isArray(stored) || stored.length !== vector.length) return Number.NaN;
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, component, index) => sum + component * (b[index] ?? 0), 0);
  return 1 - dot(stored, vector) / Math.sqrt(dot(stored, stored) * dot(vector, vector));
}

/** Orders entries of a map by the id of their path. */
export function byId([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compareIds(a, b);
}

/** A document that was found by a time. */
export interface Dated {
  /** Path of the document. */
  path: string;
  /** The time in the field of the query. */
  at: Date;
}

/** Orders by time; documents of the same time are in the order of their paths, segment by segment. */
export function byTime(a: Dated, b: Dated): number {
  const [left, right] = [a.path.split('/'), b.path.split('/')];
  const differs = left.findIndex((segment, index) => segment !== right[index]);
  const byPath = differs === -1 ? 0 : compareIds(left[differs] ?? '', right[differs] ?? '');
  return a.at.getTime() - b.at.getTime() || byPath;
}

/** Firestore orders ids by their UTF-8 bytes. */
export function compareIds(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
