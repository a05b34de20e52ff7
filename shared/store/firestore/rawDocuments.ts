// Documents of a Firestore database as they are stored, for people who read the database. No converter of a
// document type applies: nothing is decoded or upcast.

import type { DocumentSnapshot, Query, QuerySnapshot, Timestamp } from '@google-cloud/firestore';
import type {
  RawChange,
  RawDatabase,
  RawDocument,
  RawMap,
  RawPage,
  RawTimePage,
  RawValue,
} from '../../contract/rawDocuments.ts';
import { isDocumentPath } from '../storable.ts';
import { type Client, type Connection, type ConnectionOptions, createConnection } from './connection.ts';
import { translateError } from './firestoreCall.ts';
import { LAST_CHARACTER } from './queries.ts';

/**
 * The documents of a Firestore database; `FIRESTORE_EMULATOR_HOST` points it at an emulator.
 * @param options.timeoutMs how long a read can take with all of the SDK's retries.
 */
export function createRawDocuments(options: Omit<ConnectionOptions, 'useBigInt'>): RawDatabase {
  // Integers have 64 bits in Firestore.
  const connection = createConnection({ ...options, useBigInt: true });
  const { read } = connection;

  return {
    async get(path) {
      return await read(`reading ${path}`, async ({ sdk, db }) => {
        const snapshot = await db.doc(path).get();
        return snapshot.exists ? toRawDocument(sdk, snapshot) : undefined;
      });
    },

    async getMany(paths, fields) {
      if (paths.length === 0) return [];
      return await read(`reading ${paths.length} documents`, async ({ sdk, db }) => {
        const found = await db.getAll(...paths.map((path) => db.doc(path)), { fieldMask: fields });
        return found.filter(({ exists }) => exists).map((snapshot) => toRawDocument(sdk, snapshot));
      });
    },

    async collectionIds(documentPath) {
      const parent = documentPath ?? 'the root';
      const found = await read(`listing the collections of ${parent}`, ({ db }) =>
        (documentPath === undefined ? db : db.doc(documentPath)).listCollections(),
      );
      return found.map(({ id }) => id).sort();
    },

    list: (page) =>
      read(`listing ${page.collection}`, async (client) => readRawPage(client, idPage(client, page))),

    latest: (page) =>
      read(`listing ${page.collection} by ${page.field}`, async (client) =>
        readRawPage(client, await timePage(client, page)),
      ),

    watch: (path, onChanges, onError) => watchChanges(connection, path, onChanges, onError),

    close: () => connection.close(),
  };
}

function idPage({ sdk, db }: Client, query: RawPage): Query {
  const { collection, afterId, idPrefix, equal, limit, fields } = query;
  let page: Query = db.collection(collection).orderBy(sdk.FieldPath.documentId()).limit(limit);
  if (equal !== undefined) page = page.where(equal.field, '==', equal.value);
  if (idPrefix !== undefined) page = page.startAt(idPrefix).endBefore(idPrefix + LAST_CHARACTER);
  if (afterId !== undefined) page = page.startAfter(afterId);
  return fields === undefined ? page : page.select(...fields);
}

async function timePage({ db }: Client, query: RawTimePage): Promise<Query> {
  const { collection, field, from, to, having = [], anyOf, afterId, limit, fields } = query;
  let page: Query = db.collection(collection);
  for (const { field: other, oneOf } of having) page = page.where(other, 'in', oneOf);
  if (anyOf !== undefined) page = page.where(anyOf.field, 'array-contains-any', anyOf.values);
  if (from !== undefined) page = page.where(field, '>=', from);
  if (to !== undefined) page = page.where(field, '<=', to);
  page = page
    .orderBy(field, 'desc')
    .limit(limit)
    .select(...fields);
  return afterId === undefined ? page : page.startAfter(await db.collection(collection).doc(afterId).get());
}

async function readRawPage({ sdk }: Client, page: Query) {
  return (await page.get()).docs.map((snapshot) => toRawDocument(sdk, snapshot));
}

function watchChanges(
  connection: Connection,
  path: string,
  onChanges: (changes: RawChange[]) => void,
  onError: (error: unknown) => void,
): () => void {
  let unsubscribe = () => {};
  let stopped = false;
  const stop = () => {
    stopped = true;
    unsubscribe();
  };
  const fail = (error: unknown) => {
    if (stopped) return;
    stop();
    onError(translateError(error, `watching ${path}`));
  };
  connection.client().then(({ sdk, db }) => {
    if (stopped) return;
    if (!isDocumentPath(path)) {
      const deliver = (snapshot: QuerySnapshot) => onChanges(listRawChanges(sdk, snapshot));
      unsubscribe = db.collection(path).onSnapshot(deliver, fail);
      return;
    }
    let exists = false;
    const deliver = (snapshot: DocumentSnapshot) => {
      const type = exists ? 'modified' : 'added';
      exists = snapshot.exists;
      onChanges([exists ? { type, document: toRawDocument(sdk, snapshot) } : { type: 'removed', path }]);
    };
    unsubscribe = db.doc(path).onSnapshot(deliver, fail);
  }, fail);
  return stop;
}

function listRawChanges(sdk: Client['sdk'], snapshot: QuerySnapshot): RawChange[] {
  return snapshot
    .docChanges()
    .map(({ type, doc }) =>
      type === 'removed' ? { type, path: doc.ref.path } : { type, document: toRawDocument(sdk, doc) },
    );
}

type Sdk = Client['sdk'];

/** A document that exists. */
function toRawDocument(sdk: Sdk, snapshot: DocumentSnapshot): RawDocument {
  return {
    path: snapshot.ref.path,
    id: snapshot.id,
    fields: toMap(sdk, snapshot.data() ?? {}),
    createdAt: timestampText(snapshot.createTime as Timestamp),
    updatedAt: timestampText(snapshot.updateTime as Timestamp),
  };
}

function toMap(sdk: Sdk, fields: object): RawMap {
  const entries = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(entries.map(([name, value]) => [name, toValue(sdk, value)]));
}

function toValue(sdk: Sdk, value: unknown): RawValue {
  if (typeof value !== 'object' || value === null) return value as RawValue;
  if (Array.isArray(value)) return value.map((element) => toValue(sdk, element));
  if (value instanceof sdk.Timestamp) return { type: 'timestamp', text: timestampText(value) };
  if (value instanceof Uint8Array) return { type: 'bytes', text: Buffer.from(value).toString('base64') };
  if (value instanceof sdk.DocumentReference) return { type: 'reference', text: value.path };
  if (value instanceof sdk.VectorValue) return { type: 'vector', text: JSON.stringify(value.toArray()) };
  if (value instanceof sdk.GeoPoint) {
    return { type: 'geopoint', text: JSON.stringify([value.latitude, value.longitude]) };
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return toMap(sdk, value);
  return { type: value.constructor.name, text: JSON.stringify(value) };
}

/** As ISO 8601 with milliseconds, and the digits behind them where there are any. */
function timestampText(time: Timestamp): string {
  const belowMilliseconds = String(time.nanoseconds % 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return time.toDate().toISOString().replace('Z', `${belowMilliseconds}Z`);
}
