// The indexes and TTL policies of collections, in the form of firestore.indexes.json.

import * as z from 'zod';
import type { Collection } from '../core/schema/defineCollection.ts';
import type { KnownParts } from '../core/schema/parts.ts';

/** The content of a firestore.indexes.json. */
export interface FirestoreIndexes {
  /** Indexes of several fields. */
  indexes: {
    collectionGroup: string;
    queryScope: 'COLLECTION';
    /** Each with `order`, `arrayConfig` or `vectorConfig`. */
    fields: { fieldPath: string }[];
  }[];
  /** The settings of single fields; `*` is all others of the collection. */
  fieldOverrides: {
    collectionGroup: string;
    fieldPath: string;
    ttl?: true;
    /** Each with `order` or `arrayConfig`. */
    indexes: { queryScope: string }[];
  }[];
}

/**
 * Composite indexes, then the settings of single fields, then the exemption of all others.
 * @param known the parts that fields of indexes lie in.
 */
export function describeIndexes(collections: readonly Collection[], known: KnownParts): FirestoreIndexes {
  const all = collections.toSorted((a, b) => (a.collection < b.collection ? -1 : 1));
  const exemptions = all.map(({ collection }) => ({
    collectionGroup: collection,
    fieldPath: '*',
    indexes: [],
  }));
  return {
    indexes: all.flatMap((one) =>
      (one.indexes?.composites ?? []).map((fields) => ({
        collectionGroup: one.collection,
        queryScope: 'COLLECTION' as const,
        fields: fields.map((field) => indexedField(one, field, known)),
      })),
    ),
    fieldOverrides: [...all.flatMap((one) => fieldSettings(one, known)), ...exemptions],
  };
}

/** The settings of the fields of a collection with an index or a TTL policy. */
function fieldSettings(one: Collection, known: KnownParts): FirestoreIndexes['fieldOverrides'] {
  const { collection: collectionGroup, indexes = {}, expires } = one;
  const single = (queryScope: string) => (field: string) => {
    const { fieldPath, ...mode } = indexedField(one, field, known);
    return { collectionGroup, fieldPath, indexes: [{ ...mode, queryScope }] };
  };
  const ttl = { collectionGroup, fieldPath: 'expireAt', ttl: true as const, indexes: [] };
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
function indexedField(collection: Collection, field: string, known: KnownParts): { fieldPath: string } {
  const { name, schema, dimensions = {} } = collection;
  const { fieldPath } = ordered(field);
  const dimension = dimensions[fieldPath];
  if (dimension !== undefined) return { fieldPath, ...{ vectorConfig: { dimension, flat: {} } } };
  const parts = known.schema(name);
  const whole = parts !== undefined && schema instanceof z.ZodObject ? schema.extend({ parts }) : schema;
  const isArray = schemasAt(whole, fieldPath.split('.')).some((one) => one instanceof z.ZodArray);
  return isArray ? { fieldPath, ...{ arrayConfig: 'CONTAINS' } } : ordered(field);
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
