// The examples are those of https://firebase.google.com/docs/firestore/storage-size#index-entry-size

import { expect, it } from 'vitest';
import { type IndexFile, type IndexScope, readIndexes } from '../indexes/indexFile.ts';
import { array, type Fields, integer, map, type Value } from '../values/value.ts';
import { checkIndexEntries, type IndexEntry, listIndexEntries } from './indexEntries.ts';

const PATH = 'users/jeff/tasks/my_task_id';
const text = (stringValue: string): Value => ({ valueType: 'stringValue', stringValue });
const TASK: Fields = {
  type: text('Personal'),
  done: { valueType: 'booleanValue', booleanValue: false },
  priority: integer(1),
  description: text('Learn Cloud Firestore'),
};
const NONE = { collectionGroup: 'tasks', fieldPath: '*', indexes: [] };

function list(fields: Fields, file: Partial<IndexFile> = {}): IndexEntry[] {
  return listIndexEntries(PATH, fields, readIndexes({ indexes: [], fieldOverrides: [], ...file }));
}

/** `done: 2 x 109` */
const summarize = (entries: IndexEntry[]) =>
  entries.map(({ place, fields, count, bytes }) => {
    const names = fields.map(({ name }) => name).join(', ');
    return `${place} (${names}): ${count} x ${bytes}`;
  });

const composite = (queryScope: IndexScope, ...fieldPaths: string[]): IndexFile['indexes'][number] => ({
  collectionGroup: 'tasks',
  queryScope,
  fields: fieldPaths.map((fieldPath) =>
    fieldPath.endsWith('[]')
      ? { fieldPath: fieldPath.slice(0, -2), arrayConfig: 'CONTAINS' }
      : { fieldPath, order: 'ASCENDING' },
  ),
});

it('every field has an ascending and a descending entry, with the documented sizes', () => {
  expect(summarize(list(TASK))).toEqual([
    'users/jeff/tasks (type): 2 x 117',
    'users/jeff/tasks (done): 2 x 109',
    'users/jeff/tasks (priority): 2 x 120',
    'users/jeff/tasks (description): 2 x 137',
  ]);
});

it('overrides and composite indexes decide what is indexed', () => {
  const done = {
    collectionGroup: 'tasks',
    fieldPath: 'done',
    indexes: [{ queryScope: 'COLLECTION_GROUP' as const, order: 'ASCENDING' as const }],
  };
  const indexes = [
    composite('COLLECTION', 'done', 'priority'),
    composite('COLLECTION_GROUP', 'done', 'priority'),
    composite('COLLECTION', 'done', 'missing'),
  ];
  expect(summarize(list(TASK, { indexes, fieldOverrides: [NONE, done] }))).toEqual([
    'users/jeff/tasks (done, priority): 1 x 112',
    'all tasks (done): 1 x 98',
    'all tasks (done, priority): 1 x 85',
  ]);
});

it('fields within maps and elements of lists have entries, maps and lists do not', () => {
  const fields = { at: map({ place: integer(1) }), tags: array([text('a'), text('b')]) };
  const indexes = [composite('COLLECTION', 'tags[]', 'at.place')];
  expect(summarize(list(fields, { indexes }))).toEqual([
    'users/jeff/tasks (at.place): 2 x 120',
    'users/jeff/tasks (tags): 1 x 110',
    'users/jeff/tasks (tags): 1 x 110',
    'users/jeff/tasks (tags, at.place): 1 x 113',
    'users/jeff/tasks (tags, at.place): 1 x 113',
  ]);
});

it('a root document has no parent, a vector is a value, and a list has no place where another value stands', () => {
  const vector = map({
    __type__: text('__vector__'),
    value: array([{ valueType: 'doubleValue', doubleValue: 1 }]),
  });
  const descending: IndexFile['indexes'][number] = {
    collectionGroup: 'tasks',
    queryScope: 'COLLECTION',
    fields: ['done', 'v'].map((fieldPath) => ({ fieldPath, order: 'DESCENDING' })),
  };
  const indexes = readIndexes({
    indexes: [descending, composite('COLLECTION', 'done[]', 'v'), composite('COLLECTION', 'missing[]', 'v')],
    fieldOverrides: [],
  });
  const done: Value = { valueType: 'booleanValue', booleanValue: false };
  expect(summarize(listIndexEntries('tasks/a', { done, v: vector }, indexes))).toEqual([
    'tasks (done): 2 x 62',
    'tasks (v): 2 x 92',
    'tasks (done descending, v descending): 1 x 91',
  ]);
});

it.each<[string, Fields, IndexFile['indexes'], string]>([
  [
    'an entry of more than 7.5 KiB',
    Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, text('x'.repeat(2000))])),
    [composite('COLLECTION', 'a', 'b', 'c', 'd', 'e', 'f')],
    'an index entry of users/jeff/tasks/my_task_id is larger than 7680 bytes',
  ],
  [
    'more than 40,000 entries',
    Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`f${index}`, integer(index)])),
    [],
    'too many index entries for entity users/jeff/tasks/my_task_id',
  ],
  [
    'entries of more than 8 MiB',
    Object.fromEntries(Array.from({ length: 2_700 }, (_, index) => [`f${index}`, text('x'.repeat(1600))])),
    [],
    'the index entries of users/jeff/tasks/my_task_id are larger than 8388608 bytes together',
  ],
])('%s are refused, unless the fields are exempt', (_, fields, indexes, message) => {
  expect(() => checkIndexEntries(PATH, list(fields, { indexes }))).toThrow(message);
  expect(() => checkIndexEntries(PATH, list(fields, { fieldOverrides: [NONE] }))).not.toThrow();
});
