// Reads documents of a type, and reports a fault of a document only after its owner is known.

import { type DocumentType, rawDocumentType } from '../../core/schema/documentType.ts';

/** A reader of documents of one type. */
export interface LateReader<T> {
  /** The type to read with. Its `decode` never throws. */
  type: DocumentType<T>;
  /** The stored fields of a document that was read. */
  dataOf(value: T): Record<string, unknown>;
  /** @throws the error of the original type's `decode` for this document. */
  check(value: T): void;
}

/** A reader that decodes with `type`. */
export function createLateReader<T>(type: DocumentType<T>): LateReader<T> {
  const read = new WeakMap<object, { data: Record<string, unknown>; fault?: { error: unknown } }>();
  const readingOf = (value: T) => read.get(value as object) ?? { data: {} };
  const decode: DocumentType<T>['decode'] = (data, path, known) => {
    const stored = rawDocumentType.decode(data, path);
    try {
      // Stores look at the fields of the decoded value, so it cannot be wrapped.
      const value = type.decode(data, path, known);
      read.set(value as object, { data: stored });
      return value;
    } catch (error) {
      read.set(stored, { data: stored, fault: { error } });
      return stored as T;
    }
  };
  return {
    type: { ...type, decode },
    dataOf: (value) => readingOf(value).data,
    check(value) {
      const { fault } = readingOf(value);
      if (fault !== undefined) throw fault.error;
    },
  };
}
