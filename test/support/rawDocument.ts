// Accesses documents without the converters, as other code would.

import { Firestore, Timestamp } from '@google-cloud/firestore';
import type { MemoryStore } from '../../shared/store/memory/memoryStore.ts';

type Fields = Record<string, unknown>;

/** A document as it is stored. */
interface RawDocument {
  /** Its fields, with times as `Date`; undefined when it does not exist. */
  get(): Promise<Fields | undefined>;
  /** Replaces all fields. */
  set(fields: Fields): Promise<unknown>;
  /** Replaces some fields of a document that exists. */
  update(fields: Fields): Promise<unknown>;
  delete(): Promise<unknown>;
}

const storesInMemory = new Map<string, MemoryStore>();

/** Makes documents of a store in memory accessible, under the project of its bench. */
export function keepInMemory(projectId: string, store: MemoryStore): void {
  storesInMemory.set(projectId, store);
}

/** Runs `work` on the document at `path`; on Firestore over its own connection. */
export async function withRawDocument<T>(
  projectId: string,
  path: string,
  work: (document: RawDocument) => Promise<T>,
): Promise<T> {
  const store = storesInMemory.get(projectId);
  if (store !== undefined) return work(documentInMemory(store, path));
  const firestore = new Firestore({ projectId, clientOptions: { universe_domain: 'googleapis.com' } });
  const document = firestore.doc(path);
  try {
    return await work({
      get: async () => withDates((await document.get()).data()),
      set: (fields) => document.set(fields),
      update: (fields) => document.update(fields),
      delete: () => document.delete(),
    });
  } finally {
    await firestore.terminate();
  }
}

function documentInMemory(store: MemoryStore, path: string): RawDocument {
  return {
    get: async () => store.documents().find((document) => document.path === path)?.data,
    set: async (fields) => store.rewrite(path, () => fields),
    update: async (fields) => store.rewrite(path, (data) => ({ ...data, ...fields })),
    delete: async () => store.rewrite(path, () => undefined),
  };
}

/** Fields with times as `Date`. */
function withDates(fields: Fields | undefined): Fields | undefined {
  if (fields === undefined) return undefined;
  const dated = Object.entries(fields).map(([name, value]) => [
    name,
    value instanceof Timestamp ? value.toDate() : value,
  ]);
  return Object.fromEntries(dated);
}
