// A batch of writes as a batch of Firestore: every fence is a precondition on the update time.

import type { Firestore, WriteBatch } from '@google-cloud/firestore';
import type { CommitFailure, CommitResult, Version, Write } from '../../core/contract/store.ts';
import type { Client } from './connection.ts';
import { documentConverter } from './converter.ts';
import { readGrpcStatus, STATUS } from './firestoreCall.ts';
import { composeVersion } from './versions.ts';

/**
 * Writes all documents or none.
 * @returns `ok: false` with the reason when a precondition failed.
 * @throws TerminalError from `type.encode`, and the SDK's errors of any other kind.
 */
export async function commitWrites(client: Client, writes: Write[]): Promise<CommitResult> {
  const batch = client.db.batch();
  for (const write of writes) addWrite(client, batch, write);
  try {
    const results = await batch.commit();
    return { ok: true, versions: results.map(({ writeTime }) => composeVersion(writeTime)) };
  } catch (error) {
    const replaced = writes.flatMap(({ op, path }) => (op === 'replace' ? [path] : []));
    return { ok: false, reason: await toCommitFailure(error, replaced, client.db) };
  }
}

function addWrite({ sdk, db }: Client, batch: WriteBatch, write: Write): void {
  const reference = db.doc(write.path);
  // The client calls no converter for updates, and one for increments, not for the numbers.
  const converted = () =>
    documentConverter(sdk, write.type, write.path).toFirestore({ value: write.value as never });
  switch (write.op) {
    case 'delete':
      batch.delete(reference);
      return;
    case 'put':
      batch.set(reference, converted());
      return;
    case 'create':
      batch.create(reference, converted());
      return;
    case 'add': {
      const data = converted();
      const sums = write.fields.map((field) => [field, sdk.FieldValue.increment(Number(data[field]))]);
      const mergeFields = Object.keys(data);
      batch.set(reference, { ...data, ...Object.fromEntries(sums) }, { mergeFields });
      return;
    }
    case 'replace': {
      // Only `update` takes a precondition on the update time.
      const { time, dropped } = parseVersion(write.ifVersion);
      const deleted = dropped.map((field) => [field, sdk.FieldValue.delete()]);
      const data = dropped.length === 0 ? converted() : { ...converted(), ...Object.fromEntries(deleted) };
      batch.update(reference, data, { lastUpdateTime: new sdk.Timestamp(...time) });
    }
  }
}

/** The precondition that failed. Rethrows errors of any other kind. */
async function toCommitFailure(
  error: unknown,
  replacedPaths: string[],
  db: Firestore,
): Promise<CommitFailure> {
  const code = readGrpcStatus(error);
  if (code === STATUS.ALREADY_EXISTS) return 'exists';
  if (code === STATUS.NOT_FOUND && replacedPaths.length > 0) return 'missing';
  if (code !== STATUS.FAILED_PRECONDITION) throw error;
  // Firestore reports changed and missing documents with the same status; one more read distinguishes them.
  const replaced = replacedPaths.map((path) => db.doc(path));
  const found = await db.getAll(...replaced, { fieldMask: [] });
  return found.every((snapshot) => snapshot.exists) ? 'changed' : 'missing';
}

/** The parts of a version. */
function parseVersion(version: Version): {
  time: [seconds: number, nanoseconds: number];
  dropped: string[];
} {
  const [seconds, nanoseconds, ...dropped] = JSON.parse(version) as [number, number, ...string[]];
  return { time: [seconds, nanoseconds], dropped };
}
