// The writes of the store in memory: preconditions, sums and merged lists, as Firestore applies them.

import { isDeepStrictEqual } from 'node:util';
import type { CommitFailure, CommitResult, Write } from '../../core/contract/store.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import { asObject } from '../../text/json.ts';
import { topField, valueAt } from '../fieldPath.ts';
import { checkPath, storableDocument } from '../storable.ts';
import type { DocumentTable } from './documentTable.ts';

/**
 * Writes all documents or none.
 * @throws TerminalError from `type.encode` and for an invalid path.
 */
export function commitWrites(table: DocumentTable, writes: Write[]): CommitResult {
  const encoded = writes.map((write) => ({ write, data: encodeWrite(write) }));
  const reason = writes
    .map((write) => findFailedPrecondition(table, write))
    .find((failure) => failure !== undefined);
  if (reason !== undefined) return { ok: false, reason };
  const version = table.nextVersion();
  const versions = encoded.map(({ write, data }) => {
    if (write.op === 'delete') return table.delete(write.path, version);
    if (write.op !== 'add') return table.put(write.path, data, version);
    const before = table.get(write.path)?.data ?? {};
    const sums = write.fields.map((field) => [field, addToStored(before[field], data[field])]);
    return table.put(write.path, { ...before, ...data, ...Object.fromEntries(sums) }, version);
  });
  return { ok: true, versions };
}

/** As `Store.incrementAll`. */
export function incrementFields<T extends object>(
  table: DocumentTable,
  path: string,
  type: DocumentType<T>,
  value: T,
  fields: readonly string[],
): number[] {
  checkPath(path, 'document');
  const before = table.get(path)?.data ?? {};
  const data = storableDocument(type.encode(value, path), path);
  const added = new Set(fields.map(topField));
  const set = Object.entries(data).filter(([name]) => !added.has(name));
  const merged = {
    ...before,
    ...Object.fromEntries(set.map(([name, given]) => [name, withElements(before[name], given)])),
  };
  const counts = fields.map((field) => {
    const count = addToStored(valueAt(before, field), valueAt(data, field));
    const top = topField(field);
    merged[top] = top === field ? count : { ...asObject(merged[top]), [field.slice(top.length + 1)]: count };
    return count;
  });
  table.put(path, merged, table.nextVersion());
  return counts;
}

function encodeWrite(write: Write): Record<string, unknown> {
  checkPath(write.path, 'document');
  if (write.op === 'delete') return {};
  return storableDocument(write.type.encode(write.value as never, write.path), write.path);
}

function findFailedPrecondition(table: DocumentTable, write: Write): CommitFailure | undefined {
  const entry = table.get(write.path);
  if (write.op === 'create') return entry === undefined ? undefined : 'exists';
  if (write.op !== 'replace') return undefined;
  if (entry === undefined) return 'missing';
  return entry.version === write.ifVersion ? undefined : 'changed';
}

/** Anything but a number counts as 0. */
function addToStored(stored: unknown, given: unknown): number {
  return (typeof stored === 'number' ? stored : 0) + Number(given);
}

/** A field as an increment sets it: a list gets the elements that it lacks. */
function withElements(stored: unknown, given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  const all: unknown[] = Array.isArray(stored) ? [...stored] : [];
  for (const element of given) {
    if (!all.some((one) => isDeepStrictEqual(one, element))) all.push(element);
  }
  return all;
}
