// A batch of writes as a batch of Firestore: every fence is a precondition on the update time.

import type { Firestore, WriteBatch } from '@google-cloud/firestore';
import type { CommitFailure, CommitResult, Write } from '../../contract/store.ts';
import { checkPath, storable } from '../storable.ts';
import type { Client } from './connection.ts';
import { STATUS, statusOf } from './firestoreCall.ts';
import { parseVersion, versionOf } from './versions.ts';

/** A write and the stored form of its document. */
interface EncodedWrite {
  write: Write;
  data: Record<string, unknown>;
}

/** @throws TerminalError from `type.encode` and for an invalid path. */
export function encodeWrite(write: Write): EncodedWrite {
  checkPath(write.path, 'document');
  if (write.op === 'delete') return { write, data: {} };
  return { write, data: storable(write.type.encode(write.value as never, write.path), write.path) };
}

/**
 * Writes all documents or none.
 * @returns `ok: false` with the reason when a precondition failed.
 * @throws the SDK's errors of any other kind.
 */
export async function commitWrites(client: Client, writes: EncodedWrite[]): Promise<CommitResult> {
  const batch = client.db.batch();
  for (const encoded of writes) addWrite(client, batch, encoded);
  try {
    const results = await batch.commit();
    return { ok: true, versions: results.map(({ writeTime }) => versionOf(writeTime)) };
  } catch (error) {
    const replaced = writes.flatMap(({ write }) => (write.op === 'replace' ? [write.path] : []));
    return { ok: false, reason: await failureOf(error, replaced, client.db) };
  }
}

function addWrite({ sdk, db }: Client, batch: WriteBatch, { write, data }: EncodedWrite): void {
  const reference = db.doc(write.path);
  for (const field of write.op === 'delete' ? [] : write.type.vectors) {
    const numbers = data[field];
    if (Array.isArray(numbers)) data[field] = sdk.FieldValue.vector(numbers);
  }
  switch (write.op) {
    case 'delete':
      batch.delete(reference);
      return;
    case 'put':
      batch.set(reference, data);
      return;
    case 'create':
      batch.create(reference, data);
      return;
    case 'add': {
      const sums = write.fields.map((field) => [field, sdk.FieldValue.increment(Number(data[field]))]);
      const mergeFields = Object.keys(data);
      batch.set(reference, { ...data, ...Object.fromEntries(sums) }, { mergeFields });
      return;
    }
    case 'replace': {
      const { time, dropped } = parseVersion(write.ifVersion);
      for (const field of dropped) data[field] = sdk.FieldValue.delete();
      batch.update(reference, data, { lastUpdateTime: new sdk.Timestamp(...time) });
    }
  }
}

/** The precondition that failed. Rethrows errors of any other kind. */
async function failureOf(error: unknown, replacedPaths: string[], db: Firestore): Promise<CommitFailure> {
  const code = statusOf(error);
  if (code === STATUS.ALREADY_EXISTS) return 'exists';
  if (code === STATUS.NOT_FOUND && replacedPaths.length > 0) return 'missing';
  if (code !== STATUS.FAILED_PRECONDITION) throw error;
  // Firestore reports changed and missing documents with the same status; one more read distinguishes them.
  const replaced = replacedPaths.map((path) => db.doc(path));
  const found = await db.getAll(...replaced, { fieldMask: [] });
  return found.every((snapshot) => snapshot.exists) ? 'changed' : 'missing';
}
