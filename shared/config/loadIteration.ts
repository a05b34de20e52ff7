// Loads the configuration of iterations: the files of agents, without those of alerts, messages and the API.
// A function that loads less starts faster.

import type * as z from 'zod';
import { SKILLS } from '../core/contract/skills.ts';
import { agentCatalog } from './agentCatalog.ts';
import {
  type AgentFiles,
  agentFileFaults,
  checkAgentFiles,
  type DefinedNames,
  type ExtensionNames,
  findNames,
} from './agentFiles.ts';
import type { Config } from './config.ts';
import { ConfigError } from './configError.ts';
import { refuseUnknownApis } from './modelApi.ts';
import { quotaLimits } from './quotas.ts';
import { type ConfigFiles, readFolder } from './readFolder.ts';
import { snapshotAgents } from './resolve.ts';
import { type KnownModels, type RecordedServers, serversFileSchema } from './schema.ts';
import type { Fault } from './yamlFile.ts';

type IterationConfig = Pick<
  Config,
  'servers' | 'quotas' | 'askable' | 'masking' | 'agents' | 'skills' | 'embeddingModel'
>;

type Servers = z.output<ReturnType<ReturnType<typeof serverSchema>>>;

/**
 * The schema of servers.yaml where servers are connected.
 * @param recorded whether servers with `transport: recorded` are accepted.
 */
export function serverSchema(
  folder: string,
  env: NodeJS.ProcessEnv,
  { toolSources }: ExtensionNames,
  recorded: RecordedServers,
) {
  return (models: KnownModels) => serversFileSchema(folder, env, [...toolSources, SKILLS], models, recorded);
}

/**
 * Loads the part of the configuration of `folder` that iterations use. `env` fills in `${NAME}` in
 * servers.yaml.
 * @throws ConfigError like `loadConfig`, for faults of these files and for files that are no YAML.
 */
export function loadIterationConfig(
  folder: string,
  env: NodeJS.ProcessEnv,
  extensions: ExtensionNames,
): IterationConfig {
  const faults: Fault[] = [];
  const yaml = readFolder(folder, faults);
  const known = findNames(yaml, extensions, faults);
  const schema = serverSchema(folder, env, extensions, 'refused');
  const checked = checkAgentFiles(yaml, { known, extensions, serversSchema: schema }, faults);
  if (checked !== undefined && faults.length === 0) faults.push(...agentFileFaults(yaml, checked, known));
  if (checked === undefined || faults.length > 0) throw new ConfigError(faults);
  refuseUnknownApis(yaml.models, env);
  return iterationConfig(yaml, checked, known);
}

/** Resolves valid files. Servers without a connection are left out. */
export function iterationConfig(
  { skills }: Pick<ConfigFiles, 'skills'>,
  { files, servers: { servers: entries }, serverEntries, masking }: AgentFiles<Servers>,
  known: DefinedNames,
): IterationConfig {
  const servers = Object.fromEntries(
    Object.entries(entries ?? {}).flatMap(([name, server]) =>
      server.transport === 'recorded' ? [] : [[name, server] as const],
    ),
  );
  const { embeddingModel } = files.system;
  return {
    servers,
    quotas: quotaLimits(files, servers),
    askable: snapshotAgents(files),
    masking,
    agents: agentCatalog(files, known, serverEntries),
    skills: [...skills.values()],
    ...(embeddingModel !== undefined && { embeddingModel }),
  };
}
