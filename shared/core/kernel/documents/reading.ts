// Reads documents that can be broken: a permanent fault is returned, so that the caller can act on it.

import type { Logger } from '../../contract/logger.ts';
import { InquestError, TerminalError } from '../../errors.ts';
import { type Failure, toStoredFailure } from '../../schema/common.ts';
import { type DocumentType, SchemaVersionError } from '../../schema/documentType.ts';

/** A value that was read, or the reason why it can never be read. */
export type Reading<T> = { value: T; failure?: undefined } | { value?: undefined; failure: Failure };

/**
 * Waits for a read and returns its TerminalError as a failure.
 * @throws any other error: RetryableError, including `SCHEMA_TOO_NEW`, because newer code can read those
 * documents.
 */
export async function captureFailure<T>(reading: Promise<T>): Promise<Reading<T>> {
  try {
    return { value: await reading };
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    return { failure: toStoredFailure(error) };
  }
}

/** The same documents, for reading: `decode` returns its error instead of throwing it. */
export function errorAsValue<T>(type: DocumentType<T>): DocumentType<T | InquestError> {
  return {
    ...type,
    encode: (value, ...rest) => type.encode(value as T, ...rest),
    decode(data, path, known) {
      try {
        return type.decode(data, path, known);
      } catch (error) {
        if (error instanceof InquestError) return error;
        throw error;
      }
    },
  };
}

/** Drops the error of a broken document, which no retry fixes, so that others are handled. */
export function ignoreTerminalError(error: unknown): undefined {
  if (!(error instanceof TerminalError)) throw error;
}

/** Returned instead of a document that is broken, or of newer code. */
export const UNREADABLE = Symbol('unreadable');

/**
 * Waits for a read whose caller can continue without the document. The log names an unreadable document and
 * `consequence`, a clause.
 * @throws RetryableError when the store fails.
 */
export async function readOrWarn<T>(
  reading: Promise<T>,
  consequence: string,
  log: Logger | undefined,
): Promise<T | typeof UNREADABLE> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof TerminalError || error instanceof SchemaVersionError)) throw error;
    log?.warn({ code: error.code }, `${consequence}: ${error.message}`);
    return UNREADABLE;
  }
}
