// Reading what may be broken: a document that no retry can make readable is a value, so that it can be acted upon.

import { TerminalError } from '../errors.ts';
import { type Failure, failureOf } from '../schema/common.ts';

/** What was read, or why it cannot be read and never will be. */
export type Reading<T> = { value: T; failure?: undefined } | { value?: undefined; failure: Failure };

/**
 * The outcome of reading documents.
 * @throws whatever is worth another try: RetryableError, also `SCHEMA_TOO_NEW`, because newer code can read those.
 */
export async function readable<T>(reading: Promise<T>): Promise<Reading<T>> {
  try {
    return { value: await reading };
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    return { failure: failureOf(error) };
  }
}
