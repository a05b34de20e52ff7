// Firestore's converter of a document type. All documents are read and written through it, except where a
// comment gives the reason.

import type {
  FirestoreDataConverter,
  QueryDocumentSnapshot,
  VectorValue,
  WithFieldValue,
} from '@google-cloud/firestore';
import type { Stored } from '../../core/contract/store.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import { asStorable } from '../storable.ts';
import type { Client } from './connection.ts';
import { composeVersion } from './versions.ts';

/** The field in which a search returns how far a document's vector is. No document type has it. */
export const DISTANCE = 'vectorDistance';

/** A document in the current version of its type. */
export interface Converted<T> {
  /** The decoded document. */
  value: T;
  /** The stored fields that upcasters dropped, so that the value lacks them. Writes ignore it. */
  dropped?: readonly string[];
}

/**
 * The converter of a document type, for `withConverter`. To Firestore it validates a value and stamps the
 * version; from Firestore it checks the version, upcasts and validates. It throws the errors of `type.encode`
 * and `type.decode`, and `DOCUMENT_INVALID` for a form that Firestore refuses.
 * @param path names a document to write in messages.
 */
export function documentConverter<T>(
  { FieldValue }: Pick<Client['sdk'], 'FieldValue'>,
  type: DocumentType<T>,
  path?: string,
): FirestoreDataConverter<Converted<T>> {
  return {
    toFirestore(document: WithFieldValue<Converted<T>>) {
      const data = asStorable(type.encode(document.value as T, path), path ?? `a new ${type.name}`);
      const vectors = type.vectors.flatMap((field) => {
        const numbers = data[field];
        return Array.isArray(numbers) ? [[field, FieldValue.vector(numbers)]] : [];
      });
      return vectors.length === 0 ? data : { ...data, ...Object.fromEntries(vectors) };
    },
    fromFirestore: (snapshot) => convertDocument(snapshot, type),
  };
}

/** A document that was read without a converter. @throws the errors of `type.decode`. */
export function convertDocument<T>(
  snapshot: QueryDocumentSnapshot,
  type: DocumentType<T>,
): Required<Converted<T>> {
  const { [DISTANCE]: _, ...data } = snapshot.data();
  for (const field of type.vectors) {
    const vector = data[field] as VectorValue | null | undefined;
    if (typeof vector?.toArray === 'function') data[field] = vector.toArray();
  }
  const value = type.decode(data, snapshot.ref.path);
  const isDropped = (field: string) => field !== 'schemaVersion' && !Object.hasOwn(value as object, field);
  return { value, dropped: Object.keys(data).filter(isDropped) };
}

/** A document that was read through its converter. @throws the errors of `type.decode`. */
export const toStored = <T>(document: QueryDocumentSnapshot<Converted<T>>): Stored<T> =>
  composeStored(document, document.data());

/** A read document with its version. */
export function composeStored<T>(
  { ref, id, updateTime }: Pick<QueryDocumentSnapshot, 'ref' | 'id' | 'updateTime'>,
  { value, dropped }: Converted<T>,
): Stored<T> {
  return {
    path: ref.path,
    id,
    value,
    version: composeVersion(updateTime, dropped),
    updatedAt: updateTime.toDate(),
  };
}
