// A command that was called wrongly, as opposed to one that failed.

import { errorMessage } from '../../shared/errors.ts';

/** Arguments, options, a file or variables that no run could work with. The message says what to give instead. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** For the help of the program. */
export const EXIT_CODES = `
Exit codes: 0 done; 1 it failed, or the investigation did not complete; 2 called wrongly; 130 ended by Ctrl-C.`;

/** What `read` returns. @throws UsageError instead of any other error. */
export function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
}
