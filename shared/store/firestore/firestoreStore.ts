// The store port on Firestore: every operation is one round trip, every fence a precondition on the update time.
// The SDK is imported at the first call, because loading it takes longer than all other code of a function.

import type {
  Firestore,
  Query,
  QueryDocumentSnapshot,
  Timestamp,
  VectorValue,
} from '@google-cloud/firestore';
import type {
  CollectionQuery,
  CommitFailure,
  ListQuery,
  MatchQuery,
  NearestQuery,
  Store,
  Stored,
  Version,
  Write,
} from '../../contract/store.ts';
import { errorMessage, RetryableError } from '../../errors.ts';
import type { DocumentType } from '../../schema/documentType.ts';
import { emulatorSettings } from '../emulator.ts';
import { checkPath, storable } from '../storable.ts';
import { type CounterClient, createCounterClient } from './counterClient.ts';
import { callFirestore, STATUS, statusOf, translateError } from './firestoreCall.ts';

type Sdk = typeof import('./firestoreSdk.ts');
type Connection = { sdk: Sdk; db: Firestore };

/** The last code point, so that prefix + it sorts after every id with that prefix; the usual U+F8FF would miss emoji. */
const LAST_CHARACTER = '\u{10ffff}';

/** The field in which a search returns how far a document's vector is. No document type has it. */
const DISTANCE = 'vectorDistance';

/**
 * A store on a Firestore database; `FIRESTORE_EMULATOR_HOST` points it at an emulator.
 * @param options.databaseId `(default)` when absent.
 * @param options.timeoutMs how long a call may take with all of the SDK's retries (which alone would go on for
 *   ten minutes); then it fails with `STORE_UNAVAILABLE`. 30 s when absent.
 */
export function createFirestoreStore(options: {
  projectId: string;
  databaseId?: string;
  timeoutMs?: number;
}): Store {
  const { projectId, databaseId, timeoutMs = 30_000 } = options;
  const watches = new Set<() => void>();
  let connection: Promise<Connection> | undefined;
  /** Connects with the first increment. */
  let counters: CounterClient | undefined;

  const connect = (): Promise<Connection> => {
    connection ??= import('./firestoreSdk.ts').then((sdk) => ({
      sdk,
      db: new sdk.Firestore({
        projectId,
        ...(databaseId && { databaseId }),
        ...emulatorSettings('firestore'),
      }),
    }));
    return connection;
  };

  let isClosed = false;
  let hasHangingCall = false;
  const running = new Set<Promise<unknown>>();
  const call = async <T>(action: string, work: (connection: Connection) => Promise<T>): Promise<T> => {
    if (isClosed) throw new RetryableError('STORE_UNAVAILABLE', `${action}: the store is closed`);
    const result = callConnected(action, work);
    running.add(result);
    try {
      return await result;
    } finally {
      running.delete(result);
    }
  };

  const callConnected = async <T>(
    action: string,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> => {
    // The limit is the database's: a busy machine may take seconds to load the SDK.
    const connection = await connect().catch((error: unknown) => {
      throw translateError(error, action);
    });
    let answered = false;
    const runAndMark = async () => {
      try {
        return await work(connection);
      } finally {
        answered = true;
      }
    };
    try {
      return await callFirestore(action, timeoutMs, runAndMark);
    } finally {
      hasHangingCall ||= !answered;
    }
  };

  const addAll = async <T extends object>(
    path: string,
    type: DocumentType<T>,
    value: T,
    fields: readonly string[],
  ): Promise<number[]> => {
    checkPath(path, 'document');
    const data = storable(type.encode(value, path), path);
    return await call(`counting in ${path}`, async ({ sdk }) => {
      counters ??= createCounterClient(sdk, { projectId, databaseId });
      return await counters.increment(path, data, fields);
    });
  };

  return {
    async get<T>(path: string, type: DocumentType<T>) {
      checkPath(path, 'document');
      const snapshot = await call(`reading ${path}`, ({ db }) => db.doc(path).get());
      return snapshot.exists ? toStored(snapshot as QueryDocumentSnapshot, type) : undefined;
    },

    async list<T>(query: ListQuery, type: DocumentType<T>) {
      checkPath(query.collection, 'collection');
      const snapshot = await call(`listing ${query.collection}`, (connection) => {
        const all = toQuery(connection, query);
        return (query.limit === undefined ? all : all.limit(query.limit)).get();
      });
      return snapshot.docs.map((document) => toStored(document, type));
    },

    async listIds({ collection, field, oneOf, afterId, limit }) {
      checkPath(collection, 'collection');
      const snapshot = await call(`listing ${collection}`, ({ sdk, db }) => {
        const page = db
          .collection(collection)
          .where(field, 'in', oneOf)
          .orderBy(sdk.FieldPath.documentId())
          .limit(limit)
          .select();
        return (afterId === undefined ? page : page.startAfter(afterId)).get();
      });
      return snapshot.docs.map((document) => document.id);
    },

    async find<T>(query: MatchQuery, type: DocumentType<T>) {
      checkPath(query.collection, 'collection');
      const { docs } = await call(`searching ${query.collection}`, ({ db }) =>
        toMatches(db, query).limit(query.limit).get().catch(nameMissingIndex),
      );
      return docs.map((document) => toStored(document, type));
    },

    async findNearest<T>(query: NearestQuery, type: DocumentType<T>) {
      checkPath(query.collection, 'collection');
      const { field: vectorField, vector: queryVector, maxDistance, limit } = query;
      const { docs } = await call(`searching ${query.collection}`, ({ db }) =>
        toMatches(db, query)
          .findNearest({
            vectorField,
            queryVector,
            limit,
            distanceMeasure: 'COSINE',
            distanceThreshold: maxDistance,
            distanceResultField: DISTANCE,
          })
          .get()
          .catch(nameMissingIndex),
      );
      return docs.map((document) => {
        const { [DISTANCE]: distance, ...data } = document.data();
        return { document: toStored(document, type, data), distance: Number(distance) };
      });
    },

    async *findByTime({ collectionId, field, from, to, limit }) {
      let last: QueryDocumentSnapshot | undefined;
      do {
        const { docs } = await call(`looking for ${collectionId} by ${field}`, async ({ db }) => {
          let page: Query = db.collectionGroup(collectionId);
          if (from !== undefined) page = page.where(field, '>=', from);
          if (to !== undefined) page = page.where(field, '<=', to);
          page = page.orderBy(field).select(field).limit(limit);
          // By value, so that it holds its place when the last document changes meanwhile.
          return await (last === undefined ? page : page.startAfter(last)).get().catch(nameMissingIndex);
        });
        if (docs.length > 0) yield docs.map((document) => document.ref.path);
        last = docs.length < limit ? undefined : docs.at(-1);
      } while (last !== undefined);
    },

    async commit(writes) {
      if (writes.length === 0) return { ok: true, versions: [] };
      const entries = writes.map((write) => ({ write, data: encodeWrite(write) }));
      const paths = writes.map((write) => write.path).join(', ');
      return await call(`writing ${paths}`, async ({ sdk, db }) => {
        const batch = db.batch();
        for (const { write, data } of entries) {
          const reference = db.doc(write.path);
          if (write.op === 'delete') {
            batch.delete(reference);
            continue;
          }
          for (const field of write.type.vectors) {
            const numbers = data[field];
            if (Array.isArray(numbers)) data[field] = sdk.FieldValue.vector(numbers);
          }
          if (write.op === 'put') {
            batch.set(reference, data);
            continue;
          }
          if (write.op === 'create') {
            batch.create(reference, data);
            continue;
          }
          if (write.op === 'add') {
            const sums = write.fields.map((field) => [field, sdk.FieldValue.increment(Number(data[field]))]);
            batch.set(
              reference,
              { ...data, ...Object.fromEntries(sums) },
              { mergeFields: Object.keys(data) },
            );
            continue;
          }
          const { time, dropped } = parseVersion(write.ifVersion);
          for (const field of dropped) data[field] = sdk.FieldValue.delete();
          batch.update(reference, data, { lastUpdateTime: new sdk.Timestamp(...time) });
        }
        try {
          const results = await batch.commit();
          return { ok: true, versions: results.map(({ writeTime }) => versionOf(writeTime)) };
        } catch (error) {
          return { ok: false, reason: await failureOf(error, writes, db) };
        }
      });
    },

    async increment<T extends object>(
      path: string,
      type: DocumentType<T>,
      value: T,
      field: keyof T & string,
    ) {
      const [count = Number.NaN] = await addAll(path, type, value, [field]);
      return count;
    },

    incrementAll: addAll,

    watch(query, type, onDocuments, onError, onDeleted = () => {}) {
      checkPath(query.collection, 'collection');
      let unsubscribe = () => {};
      const stop = () => {
        watches.delete(stop);
        unsubscribe();
      };
      const fail = (error: unknown) => {
        if (!watches.has(stop)) return;
        stop();
        onError(translateError(error, `watching ${query.collection}`));
      };
      watches.add(stop);
      connect().then((connection) => {
        if (!watches.has(stop)) return;
        unsubscribe = toQuery(connection, query).onSnapshot((snapshot) => {
          if (!watches.has(stop)) return;
          const all = snapshot.docChanges();
          const changes = all.filter((change) => change.type !== 'removed');
          const deleted = all.filter((change) => change.type === 'removed');
          changes.sort((a, b) => a.newIndex - b.newIndex);
          try {
            if (changes.length > 0) onDocuments(changes.map((change) => toStored(change.doc, type)));
            if (deleted.length > 0 && watches.has(stop)) onDeleted(deleted.map(({ doc }) => doc.id));
          } catch (error) {
            fail(error);
          }
        }, fail);
      }, fail);
      return stop;
    },

    async close() {
      isClosed = true;
      for (const stop of watches) stop();
      // Terminating the SDK during a call, one that hangs above all, causes a rejection that no caller can catch.
      await Promise.allSettled(running);
      if (connection === undefined || hasHangingCall) return;
      await callConnected('closing', ({ db }) => Promise.all([db.terminate(), counters?.close()])).catch(
        () => undefined,
      );
    },
  };
}

/** The Firestore query, in id order, which is Firestore's default. */
function toQuery({ sdk, db }: Connection, { collection, idPrefix, idRange }: CollectionQuery): Query {
  const all = db.collection(collection);
  const id = sdk.FieldPath.documentId();
  if (idRange !== undefined) return all.where(id, '>=', idRange.from).where(id, '<=', idRange.to);
  if (!idPrefix) return all;
  return all.where(id, '>=', idPrefix).where(id, '<', idPrefix + LAST_CHARACTER);
}

/** The Firestore query for what fields hold. */
function toMatches(
  db: Firestore,
  { collection, equal, anyOf }: Pick<MatchQuery, 'collection' | 'equal' | 'anyOf'>,
): Query {
  let query: Query = db.collection(collection);
  for (const [field, value] of Object.entries(equal)) query = query.where(field, '==', value);
  return anyOf === undefined ? query : query.where(anyOf.field, 'array-contains-any', anyOf.values);
}

/** Throws what Firestore refused a query with; without an index it is not the fault of the query. */
function nameMissingIndex(error: unknown): never {
  if (statusOf(error) !== STATUS.FAILED_PRECONDITION) throw error;
  throw new RetryableError(
    'STORE_UNAVAILABLE',
    `an index is missing: deploy firestore.indexes.json and wait until its indexes are built (${errorMessage(error)})`,
    { cause: error },
  );
}

function encodeWrite(write: Write): Record<string, unknown> {
  checkPath(write.path, 'document');
  if (write.op === 'delete') return {};
  return storable(write.type.encode(write.value as never, write.path), write.path);
}

/** @param data without fields that the query added. */
function toStored<T>(
  document: QueryDocumentSnapshot,
  type: DocumentType<T>,
  data: Record<string, unknown> = document.data(),
): Stored<T> {
  for (const field of type.vectors) {
    const vector = data[field] as VectorValue | null | undefined;
    if (typeof vector?.toArray === 'function') data[field] = vector.toArray();
  }
  const value = type.decode(data, document.ref.path);
  const known = new Set([...Object.keys(value as object), 'schemaVersion']);
  const dropped = Object.keys(data).filter((field) => !known.has(field));
  return {
    path: document.ref.path,
    id: document.id,
    value,
    version: versionOf(document.updateTime, dropped),
    updatedAt: document.updateTime.toDate(),
  };
}

/**
 * A version is the update time in nanoseconds, with the fields that an upcaster dropped: `update` keeps fields that it is
 * not given, so a replace has to delete them explicitly.
 */
function versionOf(time: Timestamp, dropped: string[] = []): Version {
  return JSON.stringify([time.seconds, time.nanoseconds, ...dropped]) as Version;
}

function parseVersion(version: Version): { time: [seconds: number, nanoseconds: number]; dropped: string[] } {
  const [seconds, nanoseconds, ...dropped] = JSON.parse(version) as [number, number, ...string[]];
  return { time: [seconds, nanoseconds], dropped };
}

/** The precondition that failed. Rethrows errors of any other kind. */
async function failureOf(error: unknown, writes: Write[], db: Firestore): Promise<CommitFailure> {
  const replaced = writes.filter((write) => write.op === 'replace').map((write) => db.doc(write.path));
  const code = statusOf(error);
  if (code === STATUS.ALREADY_EXISTS) return 'exists';
  if (code === STATUS.NOT_FOUND && replaced.length > 0) return 'missing';
  if (code !== STATUS.FAILED_PRECONDITION) throw error;
  // Firestore reports changed and missing documents with the same status; one more read distinguishes them.
  const found = await db.getAll(...replaced, { fieldMask: [] });
  return found.every((snapshot) => snapshot.exists) ? 'changed' : 'missing';
}
