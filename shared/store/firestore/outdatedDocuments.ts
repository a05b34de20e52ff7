// Finds the documents of older versions in Firestore. A migration keeps no other state than the query:
// migrated documents are not found again.

import type { Query, QueryDocumentSnapshot } from '@google-cloud/firestore';
import type { NewerDocuments, OutdatedDocuments } from '../../core/contract/store.ts';
import { errorMessage } from '../../core/errors.ts';
import { type Client, createConnection } from './connection.ts';
import { readGrpcStatus, STATUS } from './firestoreCall.ts';

/**
 * Documents are migrated page by page, one page at a time: large enough to hide the round trips, small enough
 * for the memory (50 documents of 900 kB) and for Firestore's advice to start with 500 writes a second
 * (https://firebase.google.com/docs/firestore/best-practices#ramping_up_traffic).
 */
export const PAGE_SIZE = 50;
/** Of a collection without an index, of which only versions are read. */
const READ_SIZE = 1000;

const VERSION = 'schemaVersion';

type Comparison = '<' | '>';

/**
 * The documents of a Firestore database that are older or newer than a version; `FIRESTORE_EMULATOR_HOST`
 * points it at an emulator. Its methods throw an Error that names `firestore.indexes.json` when the index is
 * missing, else the errors of `callFirestore`.
 * @param options.databaseId Default: `(default)`.
 * @param options.indexed the collections with an index of `schemaVersion`; the others are read whole.
 * @param options.timeoutMs time limit of a call with all of the SDK's retries. 30 s when absent.
 */
export function createOutdatedDocuments(options: {
  projectId: string;
  databaseId?: string | undefined;
  indexed: ReadonlySet<string>;
  timeoutMs?: number;
}): OutdatedDocuments & NewerDocuments {
  const connection = createConnection(options);
  const ask = async <T>(
    collection: string,
    comparison: Comparison,
    call: (client: Client) => Promise<T>,
  ): Promise<T> => {
    const wanted = `${comparison === '<' ? 'older' : 'newer'} ${collection}`;
    try {
      return await connection.call(`looking for ${wanted}`, call);
    } catch (error) {
      throw missingIndex(error, wanted) ?? error;
    }
  };

  /** Paths, in pages. By index only those that are wanted are read, without one all of the collection. */
  async function* findPages(
    collection: string,
    version: number,
    comparison: Comparison,
  ): AsyncGenerator<string[], void> {
    const isIndexed = options.indexed.has(collection);
    const limit = isIndexed ? PAGE_SIZE : READ_SIZE;
    let last: QueryDocumentSnapshot | undefined;
    do {
      const { docs } = await ask(collection, comparison, (client) => {
        const all = isIndexed
          ? versionQuery(client, collection, version, comparison)
          : client.db.collectionGroup(collection).orderBy(client.sdk.FieldPath.documentId());
        const page = all.select(VERSION).limit(limit);
        // By value, so that it holds its place though the document it was read from is migrated.
        return (last === undefined ? page : page.startAfter(last)).get();
      });
      const found = docs.filter((document) => isBeyond(document.get(VERSION), version, comparison));
      for (let at = 0; at < found.length; at += PAGE_SIZE)
        yield found.slice(at, at + PAGE_SIZE).map((document) => document.ref.path);
      last = docs.length < limit ? undefined : docs.at(-1);
    } while (last !== undefined);
  }

  /** The older documents that were counted in collections without an index, which are read once. */
  const counted = new Map<string, string[]>();

  async function* findOutdated(collection: string, version: number): AsyncGenerator<string[], void> {
    const paths = counted.get(collection);
    counted.delete(collection);
    if (paths === undefined) return yield* findPages(collection, version, '<');
    for (let at = 0; at < paths.length; at += PAGE_SIZE) yield paths.slice(at, at + PAGE_SIZE);
  }

  const countAll = async (collection: string, version: number, comparison: Comparison): Promise<number> => {
    if (options.indexed.has(collection))
      return ask(collection, comparison, async (client) => {
        const counted = await versionQuery(client, collection, version, comparison).count().get();
        return counted.data().count;
      });
    const paths: string[] = [];
    for await (const page of findPages(collection, version, comparison)) paths.push(...page);
    if (comparison === '<') counted.set(collection, paths);
    return paths.length;
  };

  return {
    count: (collection, version) => countAll(collection, version, '<'),
    countNewer: (collection, version) => countAll(collection, version, '>'),
    pages: findOutdated,
    close: () => connection.close(),
  };
}

function versionQuery({ db }: Client, collection: string, version: number, comparison: Comparison): Query {
  return db.collectionGroup(collection).where(VERSION, comparison, version).orderBy(VERSION);
}

/** As a query by index: only numbers are compared. */
function isBeyond(found: unknown, version: number, comparison: Comparison): boolean {
  if (typeof found !== 'number') return false;
  return comparison === '<' ? found < version : found > version;
}

/** The error for a query without index; undefined for other errors. @param wanted `older parts`. */
export function missingIndex(error: unknown, wanted: string): Error | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (readGrpcStatus(cause) !== STATUS.FAILED_PRECONDITION) return undefined;
  return new Error(
    `${wanted} cannot be found: deploy firestore.indexes.json and wait until its indexes are built (${errorMessage(cause)})`,
    { cause },
  );
}
