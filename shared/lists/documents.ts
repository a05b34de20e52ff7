// Every stored document: its type, its path and its id.

import { type Collection, joinPaths } from '../core/schema/defineCollection.ts';
import * as types from './collections.ts';

export * from './collections.ts';

type Types = (typeof types)[keyof typeof types];

/** A build without a feature has none of its documents. */
const known = Object.fromEntries(
  Object.entries(types).filter(([, type]) => type !== undefined),
) as typeof types;

/** All collections by their id, at any depth, sorted. */
export const COLLECTIONS = Object.fromEntries(
  Object.values<Collection>(known)
    .map((type) => [type.collection, type] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1)),
) as { [T in Types as T['collection']]: T };

/** The ids of the collections with a property, sorted. */
export const collectionsWhere = (isMeant: (one: Collection) => boolean): string[] =>
  Object.values<Collection>(COLLECTIONS)
    .filter(isMeant)
    .map(({ collection }) => collection);

/**
 * The collections with an index of `schemaVersion`: a session adds documents to them with each call of a
 * model. The others are read whole, because each indexed field counts against Firestore's limit.
 */
export const INDEXED_VERSIONS: ReadonlySet<string> = new Set(
  collectionsWhere(({ indexes }) => indexes?.group?.includes('schemaVersion') ?? false),
);

/** The paths of all documents and collections. */
export const paths = joinPaths(known);
