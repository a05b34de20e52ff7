// Documents of a Firestore database as they are stored, for people who look.

import type { DocumentSnapshot, Firestore, Query, Timestamp } from '@google-cloud/firestore';
import type { RawDocument, RawDocuments, RawMap, RawValue } from '../../contract/rawDocuments.ts';
import { emulatorSettings } from '../emulator.ts';
import { isDocumentPath } from '../storable.ts';
import { callFirestore, translateError } from './firestoreCall.ts';

type Sdk = typeof import('./firestoreSdk.ts');
type Connection = { sdk: Sdk; db: Firestore };

/** The last code point: sorts behind every id with a prefix. */
const LAST_CHARACTER = '\u{10ffff}';

/**
 * The documents of a Firestore database; `FIRESTORE_EMULATOR_HOST` points it at an emulator.
 * @param options.timeoutMs how long a read may take with all of the SDK's retries.
 */
export function createRawDocuments(options: { projectId: string; timeoutMs: number }): RawDocuments {
  const { projectId, timeoutMs } = options;
  let connection: Promise<Connection> | undefined;
  const connect = (): Promise<Connection> => {
    connection ??= import('./firestoreSdk.ts').then((sdk) => ({
      sdk,
      // Integers have 64 bits in Firestore.
      db: new sdk.Firestore({ projectId, useBigInt: true, ...emulatorSettings('firestore') }),
    }));
    return connection;
  };
  const call = async <T>(action: string, work: (connection: Connection) => Promise<T>): Promise<T> => {
    const connected = await connect();
    return await callFirestore(action, timeoutMs, () => work(connected));
  };

  return {
    async get(path) {
      return await call(`reading ${path}`, async ({ sdk, db }) => {
        const snapshot = await db.doc(path).get();
        return snapshot.exists ? toDocument(sdk, snapshot) : undefined;
      });
    },

    async getMany(paths, fields) {
      if (paths.length === 0) return [];
      return await call(`reading ${paths.length} documents`, async ({ sdk, db }) => {
        const found = await db.getAll(...paths.map((path) => db.doc(path)), { fieldMask: fields });
        return found.filter(({ exists }) => exists).map((snapshot) => toDocument(sdk, snapshot));
      });
    },

    async collectionIds(documentPath) {
      const parent = documentPath ?? 'the root';
      const found = await call(`listing the collections of ${parent}`, ({ db }) =>
        (documentPath === undefined ? db : db.doc(documentPath)).listCollections(),
      );
      return found.map(({ id }) => id).sort();
    },

    async list({ collection, afterId, idPrefix, limit, fields }) {
      return await call(`listing ${collection}`, async ({ sdk, db }) => {
        let page: Query = db.collection(collection).orderBy(sdk.FieldPath.documentId()).limit(limit);
        if (idPrefix !== undefined) page = page.startAt(idPrefix).endBefore(idPrefix + LAST_CHARACTER);
        if (afterId !== undefined) page = page.startAfter(afterId);
        if (fields !== undefined) page = page.select(...fields);
        return (await page.get()).docs.map((snapshot) => toDocument(sdk, snapshot));
      });
    },

    async latest({ collection, field, from, to, having = [], anyOf, afterId, limit, fields }) {
      return await call(`listing ${collection} by ${field}`, async ({ sdk, db }) => {
        let page: Query = db.collection(collection);
        for (const { field: other, oneOf } of having) page = page.where(other, 'in', oneOf);
        if (anyOf !== undefined) page = page.where(anyOf.field, 'array-contains-any', anyOf.values);
        if (from !== undefined) page = page.where(field, '>=', from);
        if (to !== undefined) page = page.where(field, '<=', to);
        page = page
          .orderBy(field, 'desc')
          .limit(limit)
          .select(...fields);
        if (afterId !== undefined) page = page.startAfter(await db.collection(collection).doc(afterId).get());
        return (await page.get()).docs.map((snapshot) => toDocument(sdk, snapshot));
      });
    },

    watch(path, onChanges, onError) {
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
      const isDocument = isDocumentPath(path);
      connect().then(({ sdk, db }) => {
        if (stopped) return;
        let isThere = false;
        unsubscribe = isDocument
          ? db.doc(path).onSnapshot((snapshot) => {
              const change = snapshot.exists
                ? {
                    type: isThere ? ('modified' as const) : ('added' as const),
                    document: toDocument(sdk, snapshot),
                  }
                : { type: 'removed' as const, path };
              isThere = snapshot.exists;
              onChanges([change]);
            }, fail)
          : db.collection(path).onSnapshot((snapshot) => {
              onChanges(
                snapshot
                  .docChanges()
                  .map(({ type, doc }) =>
                    type === 'removed'
                      ? { type, path: doc.ref.path }
                      : { type, document: toDocument(sdk, doc) },
                  ),
              );
            }, fail);
      }, fail);
      return stop;
    },

    async close() {
      if (connection === undefined) return;
      await call('closing', ({ db }) => db.terminate()).catch(() => undefined);
    },
  };
}

/** A document that exists. */
function toDocument(sdk: Sdk, snapshot: DocumentSnapshot): RawDocument {
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
