// Creates the services of a function. A function with an invalid configuration does not start: the faults are
// the last lines of its log.

import { InquestError } from '../shared/core/errors.ts';

/**
 * Creates services from this process's environment, when a function's module loads. Logs an error of this
 * code as one line and ends the process with exit code 1; throws any other error.
 */
export function startServices<T>(create: (env: NodeJS.ProcessEnv) => T): T {
  try {
    return create(process.env);
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    console.error(`${error.code}: ${error.message}`);
    process.exit(1);
  }
}
