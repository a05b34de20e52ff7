// A function that cannot work does not start: the faults of its configuration are the last lines of its log.

import { InquestError } from '../shared/errors.ts';

/**
 * Creates services from this process's environment, when a function's module loads.
 * An error that is ours is logged as one line and ends the process with exit code 1; any other is thrown.
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
