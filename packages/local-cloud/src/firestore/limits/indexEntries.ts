// The index entries of a document and their limits.
// Which there are: https://firebase.google.com/docs/firestore/query-data/index-overview#index_entries
// Sizes: https://firebase.google.com/docs/firestore/storage-size#index-entry-size

import { countNameBytes, countValueBytes } from '../engine/limits.ts';
import type { Indexes, IndexScope } from '../indexes/indexFile.ts';
import { invalid } from '../values/errors.ts';
import { type FieldPath, NAME_PATH, valueAt } from '../values/fieldPath.ts';
import { cutDocumentId, cutParentPath } from '../values/names.ts';
import { type Fields, readVector, type Value } from '../values/value.ts';

/** https://firebase.google.com/docs/firestore/quotas#indexes */
const MAX_ENTRIES = 40_000;
const MAX_ENTRY_BYTES = 7.5 * 1024;
const MAX_BYTES = 8 * 1024 * 1024;
/** Longer values are cut off in indexes. */
const MAX_VALUE_BYTES = 1500;

/** Equal entries: those of the ascending and the descending index of a field. */
export interface IndexEntry {
  /** The collections of the index: `sessions`, `all executions`. */
  place: string;
  /** In the order of the index. */
  fields: { name: string; value: Value }[];
  /** How many. */
  count: number;
  /** Of each. */
  bytes: number;
}

/** The entries of a document in all indexes. */
export function listIndexEntries(path: string, fields: Fields, indexes: Indexes): IndexEntry[] {
  return [
    ...listScopeEntries('COLLECTION', path, fields, indexes),
    ...listScopeEntries('COLLECTION_GROUP', path, fields, indexes),
  ];
}

function listScopeEntries(scope: IndexScope, path: string, fields: Fields, indexes: Indexes): IndexEntry[] {
  const collection = cutParentPath(path);
  const id = cutDocumentId(collection);
  const parent = cutParentPath(collection);
  const isGroup = scope === 'COLLECTION_GROUP';
  const place = isGroup ? `all ${id}` : collection;
  const parentBytes = isGroup || parent === '' ? 0 : countNameBytes(parent);
  const nameBytes = countNameBytes(path) + parentBytes;

  const entries: IndexEntry[] = [];
  for (const [fieldPath, value] of listLeaves(fields)) {
    const modes = indexes.single(id, scope, fieldPath);
    const isList = value.valueType === 'arrayValue';
    const count = modes.filter((mode) => (mode === 'CONTAINS') === isList).length;
    if (count === 0) continue;
    const name = fieldPath.join('.');
    const bytes = nameBytes + Buffer.byteLength(name) + 1 + (isGroup ? 48 : 32);
    for (const each of isList ? (value.arrayValue.values ?? []) : [value])
      entries.push({ place, fields: [{ name, value: each }], count, bytes: bytes + countIndexedBytes(each) });
  }
  for (const index of indexes.composite(id, scope)) {
    let found: IndexEntry[] = [{ place, fields: [], count: 1, bytes: nameBytes + 32 }];
    for (const { key, mode } of index) {
      if (key === NAME_PATH) continue;
      const value = valueAt(fields, key.split('\0'));
      const values = mode === 'CONTAINS' ? readList(value) : value === undefined ? [] : [value];
      const name = key.replaceAll('\0', '.') + (mode === 'DESCENDING' ? ' descending' : '');
      found = found.flatMap((entry) => values.map((each) => extendEntry(entry, name, each)));
    }
    entries.push(...found);
  }
  return entries;
}

const extendEntry = (entry: IndexEntry, name: string, value: Value): IndexEntry => ({
  ...entry,
  fields: [...entry.fields, { name, value }],
  bytes: entry.bytes + countIndexedBytes(value),
});

const readList = (value: Value | undefined): Value[] =>
  value?.valueType === 'arrayValue' ? (value.arrayValue.values ?? []) : [];

const countIndexedBytes = (value: Value): number => Math.min(MAX_VALUE_BYTES, countValueBytes(value));

/** The fields that automatic indexes have: those within maps, not the maps. */
function* listLeaves(fields: Fields, outer: FieldPath = []): Iterable<[FieldPath, Value]> {
  for (const [name, value] of Object.entries(fields)) {
    const path = [...outer, name];
    if (value.valueType === 'mapValue' && readVector(value) === undefined)
      yield* listLeaves(value.mapValue.fields ?? {}, path);
    else yield [path, value];
  }
}

/** @throws StatusError INVALID_ARGUMENT for too many or too large entries. */
export function checkIndexEntries(path: string, entries: IndexEntry[]): void {
  let count = 0;
  let bytes = 0;
  for (const entry of entries) {
    if (entry.bytes > MAX_ENTRY_BYTES) {
      const names = entry.fields.map(({ name }) => name).join(', ');
      throw invalid(
        `an index entry of ${path} is larger than ${MAX_ENTRY_BYTES} bytes: ${entry.place} (${names})`,
      );
    }
    count += entry.count;
    bytes += entry.count * entry.bytes;
  }
  if (count > MAX_ENTRIES) throw invalid(`too many index entries for entity ${path}`);
  if (bytes > MAX_BYTES)
    throw invalid(`the index entries of ${path} are larger than ${MAX_BYTES} bytes together`);
}
