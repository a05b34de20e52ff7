// firestore.indexes.json is written from the rows of the collections. test/store/indexQueries.test.ts has the
// queries.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { PINS, parsePins, pinOf, withPartSchemas } from '../../test/schema/shapes.ts';
import { formatIndexes, INDEX_FILE } from '../../test/support/indexFile.ts';
import { type Collection, defineCollection } from '../core/schema/defineCollection.ts';
import { COLLECTIONS } from './documents.ts';
import { schemasAt } from './indexes.ts';

interface IndexFile {
  indexes: { collectionGroup: string; fields: { fieldPath: string }[] }[];
  fieldOverrides: { collectionGroup: string; fieldPath: string; ttl?: true; indexes: object[] }[];
}
const text = readFileSync(INDEX_FILE, 'utf8');
const { indexes, fieldOverrides }: IndexFile = JSON.parse(text);
const pins = parsePins(readFileSync(PINS, 'utf8'));
/** Stamped on every document; schemas do not hold it. */
const VERSION_FIELD = 'schemaVersion';

function schemasOf(collection: string, fieldPath: string): z.core.$ZodType[] {
  if (fieldPath === VERSION_FIELD) return [z.int()];
  const type: Collection = COLLECTIONS[collection as keyof typeof COLLECTIONS];
  return schemasAt(withPartSchemas(type).schema, fieldPath.split('.'));
}

describe('firestore.indexes.json', () => {
  it('is written from the rows of the collections', () => {
    expect(text, 'run `npm run update-indexes`').toBe(formatIndexes());
  });

  const named = [
    ...indexes.flatMap(({ collectionGroup, fields }) =>
      fields.map(({ fieldPath }) => ({ collectionGroup, fieldPath })),
    ),
    ...fieldOverrides.filter(({ fieldPath }) => fieldPath !== '*'),
  ];

  it.each(named)(
    'names a field that exists: $collectionGroup $fieldPath',
    ({ collectionGroup, fieldPath }) => {
      const { name, oldest } = COLLECTIONS[collectionGroup as keyof typeof COLLECTIONS];
      const isOlder = fieldPath in Object(pins[pinOf(name, oldest)]);
      expect(isOlder || schemasOf(collectionGroup, fieldPath).length > 0).toBe(true);
    },
  );

  it('lets every document but agents, runbooks and enrichments expire by a date: a TTL policy deletes no subcollections', () => {
    const isDate = (schema: z.core.$ZodType) =>
      (schema instanceof z.ZodNullable ? schema.unwrap() : schema) instanceof z.ZodDate;
    const expiring = fieldOverrides.filter(({ ttl }) => ttl).map(({ collectionGroup }) => collectionGroup);
    expect(expiring.flatMap((name) => schemasOf(name, 'expireAt')).every(isDate)).toBe(true);
    const staying = Object.keys(COLLECTIONS).filter((name) => !expiring.includes(name));
    // People write them, and take them away.
    expect(staying).toEqual(['agents', 'enrichments', 'runbooks']);
    expect(staying.flatMap((name) => schemasOf(name, 'expireAt'))).toEqual([]);
  });

  it('indexes versions where each call of a model adds documents, and nowhere else', () => {
    const versions = fieldOverrides.filter(({ fieldPath }) => fieldPath === VERSION_FIELD);
    expect(versions).toEqual(
      ['executions', 'interactions', 'messages', 'timeline'].map((collectionGroup) => ({
        collectionGroup,
        fieldPath: VERSION_FIELD,
        indexes: [{ order: 'ASCENDING', queryScope: 'COLLECTION_GROUP' }],
      })),
    );
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
    const names = Object.keys(COLLECTIONS).sort();
    expect(fieldOverrides.slice(-names.length)).toEqual(
      names.map((collectionGroup) => ({ collectionGroup, fieldPath: '*', indexes: [] })),
    );
  });

  it('stays below the 200 settings of fields and 200 composite indexes of a database', () => {
    expect(indexes.length).toBeLessThanOrEqual(24);
    expect(fieldOverrides.length).toBeLessThan(200);
  });

  it('has each kind of index that a row can name', () => {
    const schema = z.strictObject({ at: z.date(), tags: z.array(z.string()), vector: z.array(z.number()) });
    const note = defineCollection({
      collection: 'notes',
      name: 'note',
      version: 1,
      schema,
      dimensions: { vector: 3 },
      paths: { note: (id: string) => `notes/${id}` },
      owner: 'tenant',
      erase: 'tenant',
      expires: false,
      indexes: {
        fields: ['-at'],
        group: ['at'],
        composites: [
          ['tags', '-at'],
          ['tags', 'vector'],
        ],
      },
    });
    expect(note.vectors).toEqual(['vector']);
    const common = { collectionGroup: 'notes', queryScope: 'COLLECTION' };
    const tags = { fieldPath: 'tags', arrayConfig: 'CONTAINS' };
    expect(JSON.parse(formatIndexes([note]))).toEqual({
      indexes: [
        { ...common, fields: [tags, { fieldPath: 'at', order: 'DESCENDING' }] },
        { ...common, fields: [tags, { fieldPath: 'vector', vectorConfig: { dimension: 3, flat: {} } }] },
      ],
      fieldOverrides: [
        {
          collectionGroup: 'notes',
          fieldPath: 'at',
          indexes: [{ order: 'DESCENDING', queryScope: 'COLLECTION' }],
        },
        {
          collectionGroup: 'notes',
          fieldPath: 'at',
          indexes: [{ order: 'ASCENDING', queryScope: 'COLLECTION_GROUP' }],
        },
        { collectionGroup: 'notes', fieldPath: '*', indexes: [] },
      ],
    });
  });
});
