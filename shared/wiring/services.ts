// Wires the runtime to the real world, by environment alone. What differs between one machine and Google Cloud is here.

import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { ToolSource } from '../contract/tools.ts';
import { configFolderOf } from '../environment.ts';
import { createLlmClient } from '../llm/chooseClient.ts';
import type { RuntimeDeps } from '../runtime/deps.ts';
import { createToolConnector } from '../tools/connectTools.ts';
import { mcpSources } from '../tools/mcp/mcpSource.ts';
import { createStateServices } from './stateServices.ts';

/**
 * Everything a function needs. Call it once per process, when the module loads: a wrong configuration stops the start.
 * @throws ConfigError with one line per fault.
 */
export function createServices(env: NodeJS.ProcessEnv): { config: Config; deps: RuntimeDeps } {
  // Sources beside the MCP servers of servers.yaml; agents name them in `tools` in the same way.
  const ownSources: ToolSource[] = [];
  const ownNames = ownSources.map(({ name }) => name);
  const config = loadConfig(configFolderOf(env), env, ownNames);
  const state = createStateServices(env);
  const warn = (message: string, fields: object) => state.log.warn(fields, message);
  return {
    config,
    deps: {
      ...state,
      llm: createLlmClient({ env, log: warn }),
      connectTools: createToolConnector([...ownSources, ...mcpSources(config.servers)], { warn }),
      agentCache: new Map(),
      newId: randomUUID,
    },
  };
}
