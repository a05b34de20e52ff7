// Finds the documents of older versions in Firestore. A migration keeps no other state than the query: migrated
// documents are not found again.

import type { Query, QueryDocumentSnapshot } from '@google-cloud/firestore';
import type { NewerDocuments, OutdatedDocuments } from '../../contract/store.ts';
import { errorMessage } from '../../errors.ts';
import { createConnection } from './connection.ts';
import { STATUS, statusOf } from './firestoreCall.ts';

/**
 * Documents are migrated page by page, one page at a time: large enough to hide the round trips, small enough for the
 * memory (50 documents of 900 kB) and for Firestore's advice to start with 500 writes a second
 * (https://firebase.google.com/docs/firestore/best-practices#ramping_up_traffic).
 */
export const PAGE_SIZE = 50;

/**
 * The documents of a Firestore database that are older or newer than a version; `FIRESTORE_EMULATOR_HOST` points it at an emulator. Its methods throw an
 * Error that names `firestore.indexes.json` when the index is missing, else the errors of `callFirestore`.
 * @param options.databaseId Default: `(default)`.
 * @param options.timeoutMs time limit of a call with all of the SDK's retries. 30 s when absent.
 */
export function createOutdatedDocuments(options: {
  projectId: string;
  databaseId?: string | undefined;
  timeoutMs?: number;
}): OutdatedDocuments & NewerDocuments {
  const connection = createConnection(options);
  const ask = async <T>(
    collection: string,
    version: number,
    call: (query: Query) => Promise<T>,
    comparison: '<' | '>' = '<',
  ): Promise<T> => {
    const wanted = `${comparison === '<' ? 'older' : 'newer'} ${collection}`;
    try {
      return await connection.call(`looking for ${wanted}`, ({ db }) =>
        call(
          db.collectionGroup(collection).where('schemaVersion', comparison, version).orderBy('schemaVersion'),
        ),
      );
    } catch (error) {
      throw missingIndex(error, wanted) ?? error;
    }
  };

  return {
    count: (collection, version) =>
      ask(collection, version, async (query) => (await query.count().get()).data().count),

    countNewer: (collection, version) =>
      ask(collection, version, async (query) => (await query.count().get()).data().count, '>'),

    async *pages(collection, version) {
      let last: QueryDocumentSnapshot | undefined;
      do {
        const { docs } = await ask(collection, version, (query) => {
          const page = query.select('schemaVersion').limit(PAGE_SIZE);
          // By value, so that it holds its place though the document it was read from is migrated.
          return (last === undefined ? page : page.startAfter(last)).get();
        });
        if (docs.length > 0) yield docs.map((document) => document.ref.path);
        last = docs.length < PAGE_SIZE ? undefined : docs.at(-1);
      } while (last !== undefined);
    },

    close: () => connection.close(),
  };
}

/** The error to throw instead of Firestore's when the query has no index; undefined for any other error. @param wanted `older parts`. */
export function missingIndex(error: unknown, wanted: string): Error | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (statusOf(cause) !== STATUS.FAILED_PRECONDITION) return undefined;
  return new Error(
    `${wanted} cannot be found: deploy firestore.indexes.json and wait until its indexes are built (${errorMessage(cause)})`,
    { cause },
  );
}
