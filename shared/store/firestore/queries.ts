// The queries of the store port as queries of Firestore.

import type { Query, QueryDocumentSnapshot } from '@google-cloud/firestore';
import type { FieldQuery, MatchQuery, SelectionQuery, TimeQuery } from '../../core/contract/store.ts';
import { errorMessage, RetryableError } from '../../core/errors.ts';
import type { Client } from './connection.ts';
import { readGrpcStatus, STATUS } from './firestoreCall.ts';

/** The last code point: prefix + it sorts after every id with the prefix; U+F8FF misses emoji. */
export const LAST_CHARACTER = '\u{10ffff}';

/** The documents of a collection in id order, which is Firestore's default, or in that of a field. */
export function collectionQuery(
  client: Client,
  { collection, idPrefix, idRange, equal = {}, by }: SelectionQuery,
): Query {
  const match = matchQuery(client, { collection, equal });
  const id = by ?? client.sdk.FieldPath.documentId();
  const all = by === undefined ? match : match.orderBy(by);
  if (idRange !== undefined) return all.where(id, '>=', idRange.from).where(id, '<=', idRange.to);
  if (!idPrefix) return all;
  return all.where(id, '>=', idPrefix).where(id, '<', idPrefix + LAST_CHARACTER);
}

/** The documents whose fields match. */
export function matchQuery(
  { db }: Client,
  { collection, equal, anyOf }: Pick<MatchQuery, 'collection' | 'equal' | 'anyOf'>,
): Query {
  let query: Query = db.collection(collection);
  for (const [field, value] of Object.entries(equal)) query = query.where(field, '==', value);
  return anyOf === undefined ? query : query.where(anyOf.field, 'array-contains-any', anyOf.values);
}

/** The documents of a query in the order of their ids, after one of them. */
export function pageAfter({ sdk }: Client, query: Query, afterId: string | undefined): Query {
  const page = query.orderBy(sdk.FieldPath.documentId());
  return afterId === undefined ? page : page.startAfter(afterId);
}

/** A page of ids. No field is read. */
export function idQuery(client: Client, { collection, field, oneOf, afterId, limit }: FieldQuery): Query {
  const found = client.db.collection(collection).where(field, 'in', oneOf);
  return pageAfter(client, found, afterId).limit(limit).select();
}

/** A page of documents by time, of which only the time is read. @param last of the page before. */
export function timeQuery(
  { db }: Client,
  { collectionId, field, from, to, limit }: TimeQuery,
  last: QueryDocumentSnapshot | undefined,
): Query {
  let query: Query = db.collectionGroup(collectionId);
  if (from !== undefined) query = query.where(field, '>=', from);
  if (to !== undefined) query = query.where(field, '<=', to);
  const page = query.orderBy(field).select(field).limit(limit);
  // By value, so that it holds its place when the last document changes meanwhile.
  return last === undefined ? page : page.startAfter(last);
}

/** Rethrows the error of a query. Without its index the query itself is valid, so that error is retryable. */
export function nameMissingIndex(error: unknown): never {
  if (readGrpcStatus(error) !== STATUS.FAILED_PRECONDITION) throw error;
  throw new RetryableError(
    'STORE_UNAVAILABLE',
    `an index is missing: deploy firestore.indexes.json and wait until its indexes are built (${errorMessage(error)})`,
    { cause: error },
  );
}
