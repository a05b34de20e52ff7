// Reads documents so that an unreadable one is reported and does not hide the others.

import * as z from 'zod';
import { InquestError, TerminalError } from '../errors.ts';
import { type DocumentType, SchemaVersionError } from './documentType.ts';

/** Documents that cannot be read. `code`: `DOCUMENT_INVALID`, `SCHEMA_TOO_NEW` or `SCHEMA_UNSUPPORTED`. */
export const unreadableSchema = z.array(
  z.strictObject({ path: z.string(), code: z.string(), message: z.string() }),
);
/** A document that this code cannot read. */
export type Unreadable = z.infer<typeof unreadableSchema>[number];

/** Handles documents that cannot be read. */
export type OnUnreadable = (document: Unreadable) => void;

/** A document that was read, or why it cannot be read; neither if it does not exist. */
export interface ReadDocument<T> {
  /** The decoded document. Absent if it cannot be read or does not exist. */
  value?: T | undefined;
  /** The reason why the document cannot be read. Absent if it can. */
  unreadable?: Unreadable | undefined;
}

/**
 * The same documents; `decode` returns the reason why a document cannot be read instead of throwing it. Only
 * for reading.
 */
export function readableType<T>(type: DocumentType<T>): DocumentType<ReadDocument<T>> {
  return {
    ...type,
    encode() {
      throw new TypeError(`a ${type.name} that can be unreadable is not written`);
    },
    decode(data, path, known) {
      try {
        return { value: type.decode(data, path, known) };
      } catch (error) {
        return { unreadable: toUnreadable(error, path) };
      }
    },
  };
}

/** Whether the error is a fault of the document and not a failure of the store. */
export function isOfDocument(error: unknown): boolean {
  return error instanceof TerminalError || error instanceof SchemaVersionError;
}

/** The fault of a document. @throws every error that is not a fault of the document. */
export function toUnreadable(error: unknown, path: string): Unreadable {
  if (!(error instanceof InquestError)) throw error;
  return { path, code: error.code, message: error.message };
}

/** Separates readable documents from the others. */
export function splitReadable<T>(documents: readonly ReadDocument<T>[]): {
  values: T[];
  unreadable: Unreadable[];
} {
  return {
    values: documents.flatMap(({ value }) => (value === undefined ? [] : [value])),
    unreadable: documents.flatMap(({ unreadable }) => unreadable ?? []),
  };
}
