// Reads documents that may be broken: a fault that no retry can cure is returned, so that the caller can act on it.

import { TerminalError } from '../errors.ts';
import { type Failure, failureOf } from '../schema/common.ts';

/** A value that was read, or why it can never be read. */
export type Reading<T> = { value: T; failure?: undefined } | { value?: undefined; failure: Failure };

/**
 * Waits for a read and returns its TerminalError as a failure.
 * @throws any other error: RetryableError, also `SCHEMA_TOO_NEW`, because newer code can read those documents.
 */
export async function captureFailure<T>(reading: Promise<T>): Promise<Reading<T>> {
  try {
    return { value: await reading };
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    return { failure: failureOf(error) };
  }
}
