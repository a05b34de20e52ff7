// Reads with one call the documents that are requested at the same moment: an iteration reads its execution
// and the control state of its session, and a call costs more processor time than a document.

import type { DocumentReference, DocumentSnapshot, Firestore } from '@google-cloud/firestore';

/** The most documents of a call, so that no answer becomes slow because of others. */
const MAX_DOCUMENTS = 100;

/** Reads a document together with all requested before the next turn of the microtask queue. */
type BatchedRead = <T>(db: Firestore, reference: DocumentReference<T>) => Promise<DocumentSnapshot<T>>;

interface Waiting {
  reference: DocumentReference<unknown>;
  resolve(snapshot: DocumentSnapshot<unknown>): void;
  reject(error: unknown): void;
}

/** Reads for one database. If a call fails, so do all its reads, with the SDK's error. */
export function createBatchedRead(): BatchedRead {
  let batch: Waiting[] = [];

  const readBatch = async (db: Firestore, read: Waiting[]): Promise<void> => {
    // The calls that are requested in this turn are in the batch now.
    await undefined;
    if (batch === read) batch = [];
    try {
      const snapshots = await db.getAll(...read.map(({ reference }) => reference as DocumentReference));
      for (const [index, snapshot] of snapshots.entries()) read[index]?.resolve(snapshot);
    } catch (error) {
      for (const { reject } of read) reject(error);
    }
  };

  return <T>(db: Firestore, reference: DocumentReference<T>) =>
    new Promise<DocumentSnapshot<T>>((resolve, reject) => {
      if (batch.length >= MAX_DOCUMENTS) batch = [];
      batch.push({ reference, resolve: resolve as Waiting['resolve'], reject });
      if (batch.length === 1) void readBatch(db, batch);
    });
}
