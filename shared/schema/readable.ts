// Reads documents so that one that cannot be read is named, and hides none of the others.

import { type ErrorCode, InquestError, TerminalError } from '../errors.ts';
import { type DocumentType, SchemaVersionError } from './documentType.ts';

/** A document that this code cannot read. */
export interface Unreadable {
  path: string;
  /** `DOCUMENT_INVALID`, `SCHEMA_TOO_NEW` or `SCHEMA_UNSUPPORTED`. */
  code: ErrorCode;
  /** Names the path, and the field or the version. */
  message: string;
}

/** Takes documents that cannot be read. */
export type OnUnreadable = (document: Unreadable) => void;

/** A document that was read, or why it cannot be read; neither when there is none. */
export interface ReadDocument<T> {
  value?: T | undefined;
  unreadable?: Unreadable | undefined;
}

/** The same documents; `decode` gives why a document cannot be read instead of throwing. For reading only. */
export function readableType<T>(type: DocumentType<T>): DocumentType<ReadDocument<T>> {
  return {
    ...type,
    encode() {
      throw new TypeError(`a ${type.name} that may be unreadable is not written`);
    },
    decode(data, path) {
      try {
        return { value: type.decode(data, path) };
      } catch (error) {
        return { unreadable: unreadableOf(error, path) };
      }
    },
  };
}

/** Whether a document cannot be read by this code, and the store did not fail. */
export function isOfDocument(error: unknown): boolean {
  return error instanceof TerminalError || error instanceof SchemaVersionError;
}

/** What is wrong with a document. @throws what is no error of the document. */
export function unreadableOf(error: unknown, path: string): Unreadable {
  if (!(error instanceof InquestError)) throw error;
  return { path, code: error.code, message: error.message };
}

/** Readable documents apart from the others. */
export function split<T>(documents: readonly ReadDocument<T>[]): { values: T[]; unreadable: Unreadable[] } {
  return {
    values: documents.flatMap(({ value }) => (value === undefined ? [] : [value])),
    unreadable: documents.flatMap(({ unreadable }) => unreadable ?? []),
  };
}
