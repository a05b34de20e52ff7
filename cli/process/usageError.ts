// The error of a command that was called wrongly, as opposed to one that failed.

import { errorMessage } from '../../shared/core/errors.ts';

/** Invalid arguments, options, files or variables. The message names the valid input. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Exit codes, for the general help. */
export const EXIT_CODES = `
Exit codes: 0 success; 1 failure, or the investigation did not complete; 2 wrong usage; 130 interrupted by Ctrl-C.`;

/** Returns the result of `read`, and turns its errors into UsageErrors. */
export function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
}
