// A function that cannot work does not start: its configuration's faults are the last thing it says.

import { InquestError } from '../shared/errors.ts';

/** What `create` makes of this process's environment, or the end of the process with exit code 1. */
export function startServices<T>(create: (env: NodeJS.ProcessEnv) => T): T {
  try {
    return create(process.env);
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    console.error(`${error.code}: ${error.message}`);
    process.exit(1);
  }
}
