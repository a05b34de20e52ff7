// Wires the runtime to the real world, by environment alone. What differs between one machine and Google Cloud is here.

import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { configFolderOf, projectIdOf } from '../environment.ts';
import { createLlmClient } from '../llm/backends.ts';
import { createLogger } from '../log.ts';
import { createFirestoreStore } from '../store/firestoreStore.ts';
import { createPubsubPublisher } from '../store/pubsubPublisher.ts';
import { createMcpConnector } from '../tools/mcpTools.ts';
import { type RuntimeDeps, systemClock } from './deps.ts';

/** Well below the life of a lease, so that a renewal that hangs is noticed in time. */
const STORE_TIMEOUT_MS = 10_000;

/**
 * Everything a function needs. Call it once per process, when the module loads: a wrong configuration stops the start.
 * @throws ConfigError with one line per fault.
 */
export function createServices(env: NodeJS.ProcessEnv): { config: Config; deps: RuntimeDeps } {
  const log = createLogger(env);
  const config = loadConfig(configFolderOf(env), env);
  const projectId = projectIdOf(env);
  return {
    config,
    deps: {
      store: createFirestoreStore({ projectId, timeoutMs: STORE_TIMEOUT_MS }),
      publisher: createPubsubPublisher({ projectId }),
      llm: createLlmClient({ env, log: (message, fields) => log.warn(fields, message) }),
      connectTools: createMcpConnector(config.servers, {
        warn: (message, fields) => log.warn(fields, message),
      }),
      clock: systemClock,
      newId: randomUUID,
      log,
    },
  };
}
