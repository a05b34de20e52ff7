// Puts the engine of iterations together: the settings of a configuration, over engines that deployments and
// tests choose.

import type { Config } from '../config/config.ts';
import { createQuotas } from '../contract/quotas.ts';
import type { ToolSource } from '../core/contract/tools.ts';
import { createEngine, type Engine, type EngineParts } from '../engine/createEngine.ts';
import { FEATURES } from '../lists/iterationFeatures.ts';
import type { ConnectServer } from '../tools/mcp/mcpConnection.ts';
import { mcpSources } from '../tools/mcp/mcpSource.ts';
import { skillSource } from '../tools/skills/skillSource.ts';

interface Engines extends Omit<EngineParts, 'sources' | 'quotas' | 'agents' | 'catalog' | 'features'> {
  /** Default: all of them. */
  features?: Engine['features'] | undefined;
  connect?: ConnectServer | undefined;
  /** Sources of tools beside servers and skills. Default: none. */
  ownSources?: readonly ToolSource[];
  /** What servers must not show. Default: nothing. */
  secrets?: readonly string[];
}

/** The engine of iterations for the servers, skills, quotas and agents of a configuration. */
export function composeIterations(
  {
    servers,
    skills = [],
    quotas,
    askable,
    agents,
  }: Pick<Config, 'servers' | 'skills' | 'quotas' | 'askable' | 'agents'>,
  { features = FEATURES, connect, ownSources = [], secrets, ...engines }: Engines,
): Engine {
  return createEngine({
    ...engines,
    features,
    sources: [...ownSources, skillSource(skills), ...mcpSources(servers, connect, secrets)],
    quotas: quotas && createQuotas(quotas),
    agents: askable,
    catalog: agents,
  });
}
