// The indexes of a firestore.indexes.json: composite ones of a collection, and single fields.

import { NAME_PATH, parseFieldPath } from '../values/fieldPath.ts';

/** How an index has a field: in an order, by elements of a list, or as a vector of a dimension. */
type IndexMode = 'ASCENDING' | 'DESCENDING' | 'CONTAINS' | number;

/** A field of an index. */
export interface IndexField {
  /** The key of the field's path (`fieldKey`). */
  key: string;
  /** How the index holds it. */
  mode: IndexMode;
}

/** Of one collection at a time, or of all collections with an id. */
export type IndexScope = 'COLLECTION' | 'COLLECTION_GROUP';

/** The fields of an index, with the name of the document. */
export type Index = IndexField[];

/** The file, as the commands of Firebase read it. */
export interface IndexFile {
  /** Composite indexes. */
  indexes: { collectionGroup: string; queryScope: IndexScope; fields: FileField[] }[];
  /** Indexes of single fields that replace automatic ones. The path `*` is all other fields. */
  fieldOverrides: { collectionGroup: string; fieldPath: string; indexes: FileMode[] }[];
}

interface FileMode {
  queryScope: IndexScope;
  order?: 'ASCENDING' | 'DESCENDING';
  arrayConfig?: 'CONTAINS';
}

interface FileField extends Omit<FileMode, 'queryScope'> {
  fieldPath: string;
  vectorConfig?: { dimension: number };
}

/** All indexes of a database. */
export interface Indexes {
  /** The composite indexes of the collections with an id. */
  composite(collectionId: string, scope: IndexScope): Index[];
  /** The modes in which a field of these collections is indexed. */
  single(collectionId: string, scope: IndexScope, path: readonly string[]): IndexMode[];
}

/**
 * https://firebase.google.com/docs/firestore/query-data/index-overview: those of a field without an override.
 */
const AUTOMATIC: IndexMode[] = ['ASCENDING', 'DESCENDING', 'CONTAINS'];
const ALL_FIELDS = '*';

/** A path as one text. */
export const fieldKey = (path: readonly string[]): string => path.join('\0');

/** @throws StatusError INVALID_ARGUMENT when a field of the file is no path. */
export function readIndexes(file: IndexFile): Indexes {
  const composites = Map.groupBy(
    file.indexes.map(({ collectionGroup, queryScope, fields }) => ({
      place: `${collectionGroup} ${queryScope}`,
      index: addName(fields.map(readField)),
    })),
    ({ place }) => place,
  );
  const overrides = new Map(
    file.fieldOverrides.map(({ collectionGroup, fieldPath, indexes }) => {
      const path = fieldPath === ALL_FIELDS ? [ALL_FIELDS] : parseFieldPath(fieldPath);
      return [`${collectionGroup} ${fieldKey(path)}`, indexes];
    }),
  );
  return {
    composite: (collectionId, scope) =>
      (composites.get(`${collectionId} ${scope}`) ?? []).map(({ index }) => index),
    single(collectionId, scope, path) {
      // A field of a map has the settings of the map, unless it has its own.
      const paths = path.map((_, index) => path.slice(0, path.length - index));
      for (const each of [...paths, [ALL_FIELDS]]) {
        const found = overrides.get(`${collectionId} ${fieldKey(each)}`);
        if (found === undefined) continue;
        return found.filter(({ queryScope }) => queryScope === scope).map(readMode);
      }
      return scope === 'COLLECTION' ? AUTOMATIC : [];
    },
  };
}

const readMode = ({ order, arrayConfig }: Omit<FileMode, 'queryScope'>): IndexMode =>
  order ?? arrayConfig ?? 'ASCENDING';

const readField = ({ fieldPath, vectorConfig, ...mode }: FileField): IndexField => ({
  key: fieldKey(parseFieldPath(fieldPath)),
  mode: vectorConfig?.dimension ?? readMode(mode),
});

/** Firestore ends each index with the name: in the last field's order, ascending after lists. */
export function addName(fields: IndexField[]): Index {
  const plain = fields.filter(({ mode }) => typeof mode !== 'number');
  const last = plain.at(-1);
  if (last?.key === NAME_PATH) return fields;
  const mode = last?.mode === 'DESCENDING' ? 'DESCENDING' : 'ASCENDING';
  return [...plain, { key: NAME_PATH, mode }, ...fields.slice(plain.length)];
}
