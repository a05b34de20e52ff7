// firestore.indexes.json names fields as text; here it is held to the schemas. test/store/indexQueries.test.ts has the queries.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { INDEXED_VERSIONS } from '../store/firestore/outdatedDocuments.ts';
import { COLLECTIONS } from './collections.ts';
import { EMBEDDING_DIMENSIONS } from './features/knowledge.ts';

const collectionGroups = new Map<string, z.ZodType>(
  Object.entries(COLLECTIONS).map(([name, { schema }]) => [name, schema]),
);
/** Stamped on every document; schemas do not hold it. */
const VERSION_FIELD = 'schemaVersion';

const order = z.enum(['ASCENDING', 'DESCENDING']);
const queryScope = z.enum(['COLLECTION', 'COLLECTION_GROUP']);
const indexFile = z.strictObject({
  indexes: z.array(
    z.strictObject({
      collectionGroup: z.string(),
      queryScope,
      fields: z
        .array(
          z.union([
            z.strictObject({ fieldPath: z.string(), order }),
            z.strictObject({ fieldPath: z.string(), arrayConfig: z.literal('CONTAINS') }),
            z.strictObject({
              fieldPath: z.string(),
              vectorConfig: z.strictObject({
                dimension: z.literal(EMBEDDING_DIMENSIONS),
                flat: z.strictObject({}),
              }),
            }),
          ]),
        )
        .min(2),
    }),
  ),
  fieldOverrides: z.array(
    z.strictObject({
      collectionGroup: z.string(),
      fieldPath: z.string(),
      ttl: z.literal(true).optional(),
      // All single-field indexes there are of the field; an empty list exempts it.
      indexes: z.array(z.strictObject({ order, queryScope })),
    }),
  ),
});
const { indexes, fieldOverrides } = indexFile.parse(
  JSON.parse(readFileSync(new URL('../../firestore.indexes.json', import.meta.url), 'utf8')),
);

/** The schemas a field may have: several in a union, none when there is no such field. */
function schemasAt(schema: z.core.$ZodType, fieldPath: string[]): z.core.$ZodType[] {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return schemasAt(schema.unwrap(), fieldPath);
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => schemasAt(option, fieldPath));
  const [field, ...rest] = fieldPath;
  if (field === undefined) return [schema];
  const found = schema instanceof z.ZodObject ? schema.shape[field] : undefined;
  return found === undefined ? [] : schemasAt(found, rest);
}

function schemasOf(collectionGroup: string, fieldPath: string): z.core.$ZodType[] {
  const schema = collectionGroups.get(collectionGroup);
  if (schema !== undefined && fieldPath === VERSION_FIELD) return [z.int()];
  return schema === undefined ? [] : schemasAt(schema, fieldPath.split('.'));
}

describe('firestore.indexes.json', () => {
  const named = [
    ...indexes.flatMap(({ collectionGroup, fields }) =>
      fields.map(({ fieldPath }) => ({ collectionGroup, fieldPath })),
    ),
    ...fieldOverrides.filter(({ fieldPath }) => fieldPath !== '*'),
  ];

  it.each(named)(
    'names a field that exists: $collectionGroup $fieldPath',
    ({ collectionGroup, fieldPath }) => {
      expect(schemasOf(collectionGroup, fieldPath)).not.toEqual([]);
    },
  );

  it('lets every document but agents, runbooks and enrichments expire by a date: a TTL policy deletes no subcollections', () => {
    const expiring = fieldOverrides.filter((override) => override.ttl);
    expect(expiring.map((override) => override.fieldPath)).toEqual(expiring.map(() => 'expireAt'));
    expect(new Set(expiring.map((override) => override.collectionGroup))).toEqual(
      // People write them, and take them away.
      new Set(
        [...collectionGroups.keys()].filter((name) => !['agents', 'runbooks', 'enrichments'].includes(name)),
      ),
    );
    const isDate = (schema: z.core.$ZodType) =>
      (schema instanceof z.ZodNullable ? schema.unwrap() : schema) instanceof z.ZodDate;
    const fields = expiring.flatMap(({ collectionGroup, fieldPath }) =>
      schemasOf(collectionGroup, fieldPath),
    );
    expect(fields.every(isDate)).toBe(true);
  });

  it('indexes versions where each call of a model adds documents, and nowhere else', () => {
    const versions = fieldOverrides.filter((override) => override.fieldPath === VERSION_FIELD);
    expect(versions.map((override) => override.collectionGroup).sort()).toEqual([...INDEXED_VERSIONS].sort());
    for (const { indexes } of versions)
      expect(indexes).toEqual([{ order: 'ASCENDING', queryScope: 'COLLECTION_GROUP' }]);
  });

  it('reports each fault once', () => {
    const overrides = fieldOverrides.map(
      ({ collectionGroup, fieldPath }) => `${collectionGroup}.${fieldPath}`,
    );
    const composites = indexes.map((index) => JSON.stringify(index));
    expect(new Set(overrides).size).toBe(overrides.length);
    expect(new Set(composites).size).toBe(composites.length);
  });

  it('indexes no other field: * exempts all of each collection, after the fields that have their own settings', () => {
    const last = fieldOverrides.slice(-collectionGroups.size);
    expect(last.map(({ collectionGroup }) => collectionGroup).sort()).toEqual(
      [...collectionGroups.keys()].sort(),
    );
    expect(last).toEqual(
      last.map(({ collectionGroup }) => ({ collectionGroup, fieldPath: '*', indexes: [] })),
    );
    const exempt = fieldOverrides.filter(({ indexes, ttl }) => indexes.length === 0 && !ttl);
    expect(exempt).toEqual(last);
  });

  it('stays below the 200 settings of fields and 200 composite indexes of a database', () => {
    expect(indexes.length).toBeLessThanOrEqual(16);
    expect(fieldOverrides.length).toBeLessThanOrEqual(130);
  });
});
