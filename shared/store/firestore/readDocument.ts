// A document of Firestore as the store returns it.

import type { QueryDocumentSnapshot, VectorValue } from '@google-cloud/firestore';
import type { Stored } from '../../contract/store.ts';
import type { DocumentType } from '../../schema/documentType.ts';
import { versionOf } from './versions.ts';

/**
 * Decodes a document.
 * @param data without fields that the query added.
 * @throws the errors of `type.decode`.
 */
export function toStored<T>(
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
