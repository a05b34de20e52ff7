// The content of firestore.indexes.json, from the rows of the collections.

import * as z from 'zod';
import type { Collection } from '../../shared/core/schema/defineCollection.ts';
import { COLLECTIONS } from '../../shared/schema/documents.ts';
import { withPartSchemas } from './shapes.ts';

/** Where the file is, from the root of the repository. */
export const INDEX_FILE = 'firestore.indexes.json';

/**
 * The text of the file: composite indexes, then the settings of single fields, then the exemption of all
 * others.
 */
export function formatIndexes(collections: readonly Collection[] = Object.values(COLLECTIONS)): string {
  const all = collections.toSorted((a, b) => (a.collection < b.collection ? -1 : 1));
  const indexes = all.flatMap((one) =>
    (one.indexes?.composites ?? []).map((fields) => ({
      collectionGroup: one.collection,
      queryScope: 'COLLECTION',
      fields: fields.map((field) => indexedField(one, field)),
    })),
  );
  const exemptions = all.map(({ collection }) => ({
    collectionGroup: collection,
    fieldPath: '*',
    indexes: [],
  }));
  const file = { indexes, fieldOverrides: [...all.flatMap(fieldSettings), ...exemptions] };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** The settings of the fields of a collection with an index or a TTL policy. */
function fieldSettings({ collection: collectionGroup, indexes = {}, expires }: Collection): object[] {
  const single = (queryScope: string) => (field: string) => {
    const { fieldPath, order } = ordered(field);
    return { collectionGroup, fieldPath, indexes: [{ order, queryScope }] };
  };
  const ttl = { collectionGroup, fieldPath: 'expireAt', ttl: true, indexes: [] };
  return [
    ...(indexes.fields ?? []).map(single('COLLECTION')),
    ...(indexes.group ?? []).map(single('COLLECTION_GROUP')),
    ...(expires === false ? [] : [ttl]),
  ];
}

const ordered = (field: string) =>
  field.startsWith('-')
    ? { fieldPath: field.slice(1), order: 'DESCENDING' }
    : { fieldPath: field, order: 'ASCENDING' };

/**
 * A field of a composite index: a vector by its dimension, an array by what it contains, others in their
 * order.
 */
function indexedField(collection: Collection, field: string): object {
  const { schema, dimensions = {} } = withPartSchemas(collection);
  const { fieldPath } = ordered(field);
  const dimension = dimensions[fieldPath];
  if (dimension !== undefined) return { fieldPath, vectorConfig: { dimension, flat: {} } };
  const isArray = schemasAt(schema, fieldPath.split('.')).some((one) => one instanceof z.ZodArray);
  return isArray ? { fieldPath, arrayConfig: 'CONTAINS' } : ordered(field);
}

/** The schemas that a field can have: several in a union, none when there is no such field. */
export function schemasAt(schema: z.core.$ZodType, fieldPath: readonly string[]): z.core.$ZodType[] {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return schemasAt(schema.unwrap(), fieldPath);
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => schemasAt(option, fieldPath));
  const [field, ...rest] = fieldPath;
  if (field === undefined) return [schema];
  const found = schema instanceof z.ZodObject ? schema.shape[field] : undefined;
  return found === undefined ? [] : schemasAt(found, rest);
}
