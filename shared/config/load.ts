// Reads a folder of YAML files into one validated configuration, or reports every fault in it at once.

import type * as z from 'zod';
import { asObject } from '../text/json.ts';
import { fallbackFaults } from './agentModels.ts';
import { chainEntry } from './chains.ts';
import { collectFaults } from './collectFaults.ts';
import type { Config, SessionConfig } from './config.ts';
import { ConfigError, type Fault } from './configError.ts';
import {
  DEFAULT_ALERT_PROMPT_BYTES,
  DEFAULT_RETENTION_MS,
  DEFAULT_SESSION_DEADLINE_MS,
  DEFAULT_SESSIONS_PER_HOUR,
} from './defaults.ts';
import type { KnownNames } from './fields.ts';
import { maskingFileSchema } from './masking.ts';
import { nativeToolFaults } from './nativeTools.ts';
import { outsideToolFaults } from './outsideTools.ts';
import { readChains } from './readChains.ts';
import { readFolder } from './readFolder.ts';
import { findModel, snapshotChains, usageLimits } from './resolve.ts';
import { runbookConfig, runbookFaults } from './runbooks.ts';
import {
  agentsFileSchema,
  type KnownModels,
  modelsFileSchema,
  pricesFileSchema,
  serverNamesSchema,
  serversFileSchema,
  systemFileSchema,
} from './schema.ts';
import { stageModelFaults } from './stageModels.ts';
import { stageFaults, strategyFaults, summaryFaults } from './strategies.ts';
import { stageToolFaults } from './toolsOfStage.ts';
import { validate } from './validate.ts';
import { faultAt, type YamlFile } from './yamlFile.ts';

/** The session document holds the chain, the alert's text and the analysis, and may take 900 kB. */
const MAX_CHAIN_BYTES = 200_000;

/**
 * Loads the whole configuration of `folder`. `env` fills in `${NAME}` in servers.yaml.
 * @param ownSources names of tool sources that need no configuration; agents may use them like servers.
 * @throws ConfigError (`CONFIG_INVALID`; `CONFIG_UNKNOWN_STRATEGY` when that is all) with every fault of all files.
 */
export function loadConfig(
  folder: string,
  env: NodeJS.ProcessEnv,
  ownSources: readonly string[] = [],
): Config {
  const { config, servers } = load(
    folder,
    (models) => serversFileSchema(folder, env, ownSources, models),
    ownSources,
  );
  return { ...config, servers: servers.servers ?? {} };
}

/**
 * Loads what opening a session needs. Of servers.yaml only the names are looked at, so that none of its variables has
 * to be set. Throws like `loadConfig`.
 */
export function loadSessionConfig(folder: string, ownSources: readonly string[] = []): SessionConfig {
  return load(folder, () => serverNamesSchema, ownSources).config;
}

function load<S extends z.ZodType>(
  folder: string,
  serversSchema: (models: KnownModels) => S,
  ownSources: readonly string[],
): { config: SessionConfig; servers: z.output<S> } {
  const faults: Fault[] = [];
  const files = readFolder(folder, faults);
  const known = {
    models: namesIn(files.models, 'models'),
    agents: namesIn(files.agents, 'agents'),
    chains: namesInAll([files.chains, ...files.moreChains], 'chains'),
    servers: namesIn(files.servers, 'servers'),
  };
  const check = <S extends z.ZodType>(file: YamlFile, schema: S) => validate(file, schema, faults);
  const models = check(files.models, modelsFileSchema(known.models));
  const agents = check(files.agents, agentsFileSchema(known.models, known.servers, ownSources));
  const chains = readChains(files, known.chains, { ...known, ownSources }, faults);
  const system = check(files.system, systemFileSchema(known.models));
  const prices = check(files.prices, pricesFileSchema);
  const find = (name: string) =>
    models && prices && Object.hasOwn(models.models, name) ? findModel({ models, prices }, name) : undefined;
  const servers = check(files.servers, serversSchema({ known: known.models, find }));
  const masking = check(files.masking, maskingFileSchema);
  if (
    !models ||
    !agents ||
    !chains ||
    servers === undefined ||
    !system ||
    !prices ||
    !masking ||
    faults.length > 0
  ) {
    throw new ConfigError(faults);
  }

  faults.push(...fallbackFaults(files.agents, { agents, models }));
  faults.push(...nativeToolFaults(files.agents, { agents, models }));
  faults.push(...outsideToolFaults(files.agents, { agents }, asObject(asObject(servers).servers)));
  faults.push(...strategyFaults(files.agents, { agents, models }));
  faults.push(...stageFaults({ agents, chains }));
  faults.push(...stageModelFaults({ agents, models, chains }));
  faults.push(...summaryFaults(files.system, { system, models }));
  faults.push(...stageToolFaults({ agents, chains }));
  faults.push(...collectFaults({ agents, chains }, asObject(asObject(servers).servers)));
  faults.push(...runbookFaults({ chains, system }, files.runbooks));
  const snapshots = snapshotChains({ models, agents, chains, system, prices });
  for (const [name, snapshot] of Object.entries(snapshots)) {
    const bytes = Buffer.byteLength(JSON.stringify(snapshot));
    if (bytes <= MAX_CHAIN_BYTES) continue;
    const message = `takes ${bytes} bytes with the instructions of its agents; at most ${MAX_CHAIN_BYTES} fit a session`;
    faults.push(faultAt(chains.fileOf(name), ['chains', name], message, 'key'));
  }
  const retentionMs = system.retention ?? DEFAULT_RETENTION_MS;
  const deadlineMs = (chain: string) =>
    chainEntry(chains.chains, chain).sessionDeadline ?? system.sessionDeadline ?? DEFAULT_SESSION_DEADLINE_MS;
  if (Object.keys(snapshots).some((name) => deadlineMs(name) > retentionMs)) {
    const message = 'is shorter than a sessionDeadline: documents would expire under a running session';
    faults.push(faultAt(files.system, ['retention'], message));
  }
  if (faults.length > 0) throw new ConfigError(faults);

  const config = {
    chains: snapshots,
    defaultChain: chains.default,
    alertRules: Object.fromEntries(
      Object.entries(chains.chains).flatMap(([name, { alerts }]) =>
        alerts === undefined ? [] : [[name, alerts] as const],
      ),
    ),
    sessionDeadlineMs: deadlineMs,
    budgets: (chain: string) => ({
      sessionsPerHour: usageLimits({ chains, system }, 'sessionsPerHour', chain, DEFAULT_SESSIONS_PER_HOUR),
      dailyTokens: usageLimits({ chains, system }, 'dailyTokens', chain),
    }),
    ownServices: system.ownServices ?? [],
    retentionMs,
    alertPromptBytes: system.alertPromptLimit ?? DEFAULT_ALERT_PROMPT_BYTES,
    masking,
    runbooks: runbookConfig({ models, agents, chains, system, prices }, files.runbooks),
  };
  return { config, servers };
}

/** The names a file defines under `key`, valid or not; undefined when they are unknown, because the file holds no mapping. */
function namesIn(yaml: YamlFile, key: string): KnownNames {
  if (yaml.value === null || typeof yaml.value !== 'object') return undefined;
  const entries: unknown = Reflect.get(yaml.value, key);
  return entries !== null && typeof entries === 'object' ? Object.keys(entries) : [];
}

/** The names that several files define; undefined when those of one of them are unknown. */
function namesInAll(files: YamlFile[], key: string): KnownNames {
  const names = files.map((yaml) => namesIn(yaml, key));
  return names.some((one) => one === undefined) ? undefined : [...new Set(names.flatMap((one) => one ?? []))];
}
