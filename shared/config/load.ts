// Reads a folder of YAML files into one validated configuration, or reports every fault in it at once.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { chainEntry } from './chains.ts';
import type { Config } from './config.ts';
import { ConfigError, type Fault } from './configError.ts';
import { DEFAULT_ALERT_PROMPT_BYTES, DEFAULT_RETENTION_MS, DEFAULT_SESSION_DEADLINE_MS } from './defaults.ts';
import type { KnownNames } from './fields.ts';
import { nativeToolFaults } from './nativeTools.ts';
import { snapshotChains } from './resolve.ts';
import {
  agentsFileSchema,
  chainsFileSchema,
  modelsFileSchema,
  serversFileSchema,
  systemFileSchema,
} from './schema.ts';
import { stageFaults, strategyFaults } from './strategies.ts';
import { closestTo } from './suggest.ts';
import { validate } from './validate.ts';
import { faultAt, parseYaml, type YamlFile } from './yamlFile.ts';

/** The session document holds the chain, the alert's text and the analysis, and may take 900 kB. */
const MAX_CHAIN_BYTES = 200_000;

/**
 * Loads agents.yaml, chains.yaml and models.yaml of `folder`, and servers.yaml and system.yaml if they exist.
 * `${NAME}` in servers.yaml is replaced from `env`.
 * @param ownSources names of tool sources that need no configuration; agents may use them like servers.
 * @throws ConfigError (`CONFIG_INVALID`; `CONFIG_UNKNOWN_STRATEGY` when that is all) with every fault of all files.
 */
export function loadConfig(
  folder: string,
  env: NodeJS.ProcessEnv,
  ownSources: readonly string[] = [],
): Config {
  const faults: Fault[] = [];
  const names = listFolder(folder);
  const read = (name: string, need: 'required' | 'optional') => readYaml(folder, name, need, names, faults);

  const files = {
    models: read('models.yaml', 'required'),
    agents: read('agents.yaml', 'required'),
    chains: read('chains.yaml', 'required'),
    servers: read('servers.yaml', 'optional'),
    system: read('system.yaml', 'optional'),
  };
  const known = {
    models: namesIn(files.models, 'models'),
    agents: namesIn(files.agents, 'agents'),
    chains: namesIn(files.chains, 'chains'),
    servers: namesIn(files.servers, 'servers'),
  };
  const check = <S extends z.ZodType>(file: YamlFile, schema: S) => validate(file, schema, faults);
  const models = check(files.models, modelsFileSchema(known.models));
  const agents = check(files.agents, agentsFileSchema(known.models, known.servers, ownSources));
  const chains = check(files.chains, chainsFileSchema(known.chains, known.agents));
  const servers = check(files.servers, serversFileSchema(folder, env, ownSources));
  const system = check(files.system, systemFileSchema);
  if (!models || !agents || !chains || !servers || !system || faults.length > 0) {
    throw new ConfigError(faults);
  }

  faults.push(...nativeToolFaults(files.agents, { agents, models }));
  faults.push(...strategyFaults(files.agents, { agents, models }));
  faults.push(...stageFaults(files.chains, { agents, chains }));
  const snapshots = snapshotChains({ models, agents, chains, system });
  for (const [name, snapshot] of Object.entries(snapshots)) {
    const bytes = Buffer.byteLength(JSON.stringify(snapshot));
    if (bytes <= MAX_CHAIN_BYTES) continue;
    const message = `takes ${bytes} bytes with the instructions of its agents; at most ${MAX_CHAIN_BYTES} fit a session`;
    faults.push(faultAt(files.chains, ['chains', name], message, 'key'));
  }
  const retentionMs = system.retention ?? DEFAULT_RETENTION_MS;
  const deadlineMs = (chain: string) =>
    chainEntry(chains.chains, chain).sessionDeadline ?? system.sessionDeadline ?? DEFAULT_SESSION_DEADLINE_MS;
  if (Object.keys(snapshots).some((name) => deadlineMs(name) > retentionMs)) {
    const message = 'is shorter than a sessionDeadline: documents would expire under a running session';
    faults.push(faultAt(files.system, ['retention'], message));
  }
  if (faults.length > 0) throw new ConfigError(faults);

  return {
    chains: snapshots,
    defaultChain: chains.default,
    servers: servers.servers ?? {},
    sessionDeadlineMs: deadlineMs,
    retentionMs,
    alertPromptBytes: system.alertPromptLimit ?? DEFAULT_ALERT_PROMPT_BYTES,
  };
}

/** Names of the files in `folder`. @throws ConfigError when it cannot be read. */
function listFolder(folder: string): string[] {
  const fault = (message: string) => new ConfigError([{ file: folder, position: null, path: '', message }]);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw fault(
      'is not a folder; INQUEST_CONFIG must name one with agents.yaml, chains.yaml and models.yaml',
    );
  }
  try {
    return readdirSync(folder);
  } catch (error) {
    throw fault(`cannot be read (${systemCode(error)})`);
  }
}

function readYaml(
  folder: string,
  name: string,
  need: 'required' | 'optional',
  names: string[],
  faults: Fault[],
): YamlFile {
  const file = path.join(folder, name);
  const absent: YamlFile = { file, value: undefined, faults: [], position: () => ({ line: 1, column: 1 }) };
  const similar = names.includes(name)
    ? undefined
    : closestTo(
        name,
        names.filter((other) => !FILES.has(other)),
      );
  const hint = similar === undefined ? '' : `; rename ${similar} to ${name}`;
  if (!names.includes(name) && (need === 'required' || similar !== undefined)) {
    faults.push({ file, position: null, path: '', message: `is missing${hint}` });
    return absent;
  }
  if (!names.includes(name)) return { ...absent, value: {} };
  try {
    const yaml = parseYaml(file, readFileSync(file, 'utf8'));
    faults.push(...yaml.faults);
    // The value of a file with comments only is null.
    return need === 'optional' && yaml.value === null ? { ...yaml, value: {} } : yaml;
  } catch (error) {
    faults.push({ file, position: null, path: '', message: `cannot be read (${systemCode(error)})` });
    return absent;
  }
}

const FILES = new Set(['agents.yaml', 'chains.yaml', 'models.yaml', 'servers.yaml', 'system.yaml']);

/** The error's code, such as `ENOENT`: its message would show paths of the machine. */
function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** The names a file defines under `key`, valid or not; undefined when they are unknown, because the file holds no mapping. */
function namesIn(yaml: YamlFile, key: string): KnownNames {
  if (yaml.value === null || typeof yaml.value !== 'object') return undefined;
  const entries: unknown = Reflect.get(yaml.value, key);
  return entries !== null && typeof entries === 'object' ? Object.keys(entries) : [];
}
