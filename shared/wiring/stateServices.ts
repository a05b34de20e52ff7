// Wires the services that need only stored state: no model, tools, configuration or keys.

import type { StateDeps } from '../core/kernel/deps.ts';
import { readOff } from '../environment.ts';
import { composeState } from './composeState.ts';
import { createStoreServices } from './storeServices.ts';

/**
 * @param maskLine takes secrets out of the log. Absent where no text of others is logged.
 * @param isRedelivered whether a message is delivered again if this process dies; false for requests.
 * @throws TerminalError `CONFIG_INVALID` when the project is not set where it must be.
 */
export function createStateServices(
  env: NodeJS.ProcessEnv,
  maskLine?: (line: string) => string,
  isRedelivered = true,
): StateDeps {
  return composeState(createStoreServices(env, maskLine, isRedelivered), readOff(env));
}
