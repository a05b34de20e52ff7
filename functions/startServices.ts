// A function that cannot work does not start: its configuration's faults are the last thing it says.

import { InquestError } from '../shared/errors.ts';
import { createServices } from '../shared/runtime/services.ts';

/** The services of this process, or the end of it with exit code 1. */
export function startServices(): ReturnType<typeof createServices> {
  try {
    return createServices(process.env);
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    console.error(`${error.code}: ${error.message}`);
    process.exit(1);
  }
}
