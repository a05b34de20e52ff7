// Whether this machine has Google's emulators, for what compares the local cloud with them.

import { EmulatorUnavailableError, findEmulators, thisMachine } from '../../local/emulators/findEmulators.ts';
import type { Environment } from '../../local/processes/childProcess.ts';
import { errorMessage } from '../../shared/core/errors.ts';

/** Why this machine has none, with what to install; undefined when it has. */
export function whyNoOfficial(env: Environment): string | undefined {
  try {
    findEmulators(thisMachine(env), true);
    return undefined;
  } catch (error) {
    if (error instanceof EmulatorUnavailableError) return errorMessage(error);
    throw error;
  }
}
