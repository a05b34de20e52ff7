// The store port on Firestore: every operation is one round trip.

import type {
  DocumentReference,
  DocumentSnapshot,
  Firestore,
  QueryDocumentSnapshot,
} from '@google-cloud/firestore';
import type { ListQuery, MatchQuery, NearestQuery, Store } from '../../core/contract/store.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import { checkPath } from '../storable.ts';
import { commitWrites } from './commitWrites.ts';
import { type Connection, type ConnectionOptions, createConnection } from './connection.ts';
import { type Converted, DISTANCE, documentConverter, toStored } from './converter.ts';
import { type CounterClient, createCounterClient } from './counterClient.ts';
import { collectionQuery, idQuery, matchQuery, nameMissingIndex, pageAfter, timeQuery } from './queries.ts';
import { createWatches } from './watches.ts';

/** The most documents of a call, so that no answer becomes slow because of others. */
const MAX_DOCUMENTS = 100;

/** A store on a Firestore database; `FIRESTORE_EMULATOR_HOST` points it at an emulator. */
export function createFirestoreStore(options: Omit<ConnectionOptions, 'useBigInt'>): Store {
  const connection = createConnection(options);
  const watches = createWatches(connection);
  const counters = createCounters(connection, options);

  return {
    ...firestoreReads(connection),

    async commit(writes) {
      if (writes.length === 0) return { ok: true, versions: [] };
      for (const { path } of writes) checkPath(path, 'document');
      const paths = writes.map(({ path }) => path).join(', ');
      return await connection.call(`writing ${paths}`, (client) => commitWrites(client, writes));
    },

    async increment<T extends object>(
      path: string,
      type: DocumentType<T>,
      value: T,
      field: keyof T & string,
    ) {
      const [count = Number.NaN] = await counters.addAll(path, type, value, [field]);
      return count;
    },

    incrementAll: counters.addAll,

    watch: (query, type, onDocuments, onError, onDeleted = () => {}) =>
      watches.start(query, type, { onDocuments, onError, onDeleted }),

    async close() {
      watches.stopAll();
      await connection.close(counters.close);
    },
  };
}

type Reads = Pick<Store, 'get' | 'list' | 'count' | 'listIds' | 'find' | 'findNearest' | 'findByTime'>;

function firestoreReads({ read }: Connection): Reads {
  const readBatched = createBatchedRead();
  return {
    async get<T>(path: string, type: DocumentType<T>) {
      checkPath(path, 'document');
      const snapshot = await read(`reading ${path}`, ({ sdk, db }) =>
        readBatched(db, db.doc(path).withConverter(documentConverter(sdk, type))),
      );
      return snapshot.exists ? toStored(snapshot as QueryDocumentSnapshot<Converted<T>>) : undefined;
    },

    async list<T>(query: ListQuery, type: DocumentType<T>) {
      checkPath(query.collection, 'collection');
      const snapshot = await read(`listing ${query.collection}`, (client) => {
        const all = collectionQuery(client, query).withConverter(documentConverter(client.sdk, type));
        return (query.limit === undefined ? all : all.limit(query.limit)).get().catch(nameMissingIndex);
      });
      return snapshot.docs.map(toStored);
    },

    async count(query) {
      checkPath(query.collection, 'collection');
      const counted = await read(`counting ${query.collection}`, (client) =>
        collectionQuery(client, query).count().get().catch(nameMissingIndex),
      );
      return counted.data().count;
    },

    async listIds(query) {
      checkPath(query.collection, 'collection');
      const { docs } = await read(`listing ${query.collection}`, (client) => idQuery(client, query).get());
      return docs.map((document) => document.id);
    },

    async find<T>(query: MatchQuery, type: DocumentType<T>) {
      checkPath(query.collection, 'collection');
      const { docs } = await read(`searching ${query.collection}`, (client) =>
        pageAfter(client, matchQuery(client, query), query.afterId)
          .withConverter(documentConverter(client.sdk, type))
          .limit(query.limit)
          .get()
          .catch(nameMissingIndex),
      );
      return docs.map(toStored);
    },

    async findNearest<T>(query: NearestQuery, type: DocumentType<T>) {
      checkPath(query.collection, 'collection');
      const { field: vectorField, vector: queryVector, maxDistance, limit } = query;
      const nearest = {
        vectorField,
        queryVector,
        limit,
        distanceMeasure: 'COSINE',
        distanceThreshold: maxDistance,
        distanceResultField: DISTANCE,
      } as const;
      const { docs } = await read(`searching ${query.collection}`, (client) =>
        matchQuery(client, query)
          .withConverter(documentConverter(client.sdk, type))
          .findNearest(nearest)
          .get()
          .catch(nameMissingIndex),
      );
      return docs.map((document) => ({
        document: toStored(document),
        distance: Number(document.get(DISTANCE)),
      }));
    },

    async *findByTime(query) {
      let last: QueryDocumentSnapshot | undefined;
      do {
        const { docs } = await read(`looking for ${query.collectionId} by ${query.field}`, (client) =>
          timeQuery(client, query, last).get().catch(nameMissingIndex),
        );
        if (docs.length > 0) yield docs.map((document) => document.ref.path);
        last = docs.length < query.limit ? undefined : docs.at(-1);
      } while (last !== undefined);
    },
  };
}

/** Increments with results, through a client of their own that connects with the first one. */
function createCounters({ call }: Connection, { projectId, databaseId }: ConnectionOptions) {
  let client: CounterClient | undefined;
  return {
    async addAll<T extends object>(
      path: string,
      type: DocumentType<T>,
      value: T,
      fields: readonly string[],
    ): Promise<number[]> {
      checkPath(path, 'document');
      return await call(`counting in ${path}`, async ({ sdk }) => {
        // The client below the SDK takes no converter.
        const data = documentConverter(sdk, type, path).toFirestore({ value });
        client ??= createCounterClient(sdk, { projectId, databaseId });
        return await client.increment(path, data, fields);
      });
    },
    close: () => client?.close(),
  };
}

// Reads with one call the documents that are requested at the same moment: an iteration reads its execution
// and the control state of its session, and a call costs more processor time than a document.

/** Reads a document together with all requested before the next turn of the microtask queue. */
type BatchedRead = <T>(db: Firestore, reference: DocumentReference<T>) => Promise<DocumentSnapshot<T>>;

interface Waiting {
  reference: DocumentReference<unknown>;
  resolve(snapshot: DocumentSnapshot<unknown>): void;
  reject(error: unknown): void;
}

/** Reads for one database. If a call fails, so do all its reads, with the SDK's error. */
function createBatchedRead(): BatchedRead {
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
