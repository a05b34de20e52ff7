// Reads a folder of YAML files into one validated configuration, or reports every fault in it at once.

import type * as z from 'zod';
import { PROVIDERS } from '../contract/modelFacts.ts';
import { SKILLS } from '../contract/skills.ts';
import { DEFAULT_TENANT } from '../schema/session.ts';
import { asArray, asObject } from '../text/json.ts';
import { type AccessConfig, accessFileSchema } from './access.ts';
import { agentCatalog } from './agentCatalog.ts';
import { agentFaults, chainSizeFaults } from './agentFaults.ts';
import { type CatchUpSource, catchUpFileSchema } from './catchUpFile.ts';
import { chainEntry } from './chains.ts';
import type { ChainEntry } from './chainsFile.ts';
import type { Config, SessionConfig } from './config.ts';
import { ConfigError, type Fault } from './configError.ts';
import {
  DEFAULT_ALERT_PROMPT_BYTES,
  DEFAULT_RETENTION_MS,
  DEFAULT_SESSION_DEADLINE_MS,
  DEFAULT_SESSIONS_PER_HOUR,
} from './defaults.ts';
import type { Destinations } from './destinations.ts';
import { destinationsFileSchema } from './destinations.ts';
import { enrichFileSchema } from './enrichFile.ts';
import { type Lookup, readLookups } from './enrichTables.ts';
import type { KnownNames } from './fields.ts';
import type { Files } from './files.ts';
import { maskingFileSchema } from './masking.ts';
import { createNotify } from './notify.ts';
import { quotaFaults, quotaLimits } from './quotas.ts';
import { readAgents } from './readAgents.ts';
import { readChains } from './readChains.ts';
import { type ConfigFiles, readFolder, readOneFile } from './readFolder.ts';
import { findModel, snapshotAgents, snapshotChains, usageLimits } from './resolve.ts';
import { resourcesFileSchema } from './resources.ts';
import { rulePlaces } from './rulePlaces.ts';
import { runbookConfig, runbookFaults } from './runbooks.ts';
import { schedulesFileSchema } from './schedulesFile.ts';
import {
  type KnownModels,
  modelsFileSchema,
  pricesFileSchema,
  type RecordedServers,
  serverNamesSchema,
  serversFileSchema,
  systemFileSchema,
} from './schema.ts';
import { skillFaults } from './skillFiles.ts';
import { summaryFaults } from './strategies.ts';
import { telemetryFaults } from './telemetry.ts';
import { NO_TRIAGE, type TriageConfig, triageFileSchema } from './triageFile.ts';
import { validateFile } from './validate.ts';
import { webhooksFileSchema } from './webhooks.ts';
import { faultAt, type YamlFile } from './yamlFile.ts';

/** Names that the configuration can use although no file defines them; none by default. */
export interface ExtensionNames {
  /** Tool sources, which agents name in `tools` like servers. */
  toolSources: readonly string[];
  /** Providers of models besides the native one and those of LangChain. */
  providers: readonly string[];
}

const NO_EXTENSIONS: ExtensionNames = { toolSources: [], providers: [] };

/**
 * Loads the whole configuration of `folder`. `env` fills in `${NAME}` in servers.yaml.
 * @param recorded whether servers with `transport: recorded` are accepted; they are left out of `servers`. Default: refused.
 * @throws ConfigError (`CONFIG_INVALID`; `CONFIG_UNKNOWN_STRATEGY` when that is all) with every fault of all files.
 */
export function loadConfig(
  folder: string,
  env: NodeJS.ProcessEnv,
  extensions: ExtensionNames = NO_EXTENSIONS,
  recorded: RecordedServers = 'refused',
): Config {
  const { config, servers, files } = loadValidated(
    folder,
    (models) => serversFileSchema(folder, env, [...extensions.toolSources, SKILLS], models, recorded),
    extensions,
  );
  const connected = Object.fromEntries(
    Object.entries(servers.servers ?? {}).flatMap(([name, server]) =>
      server.transport === 'recorded' ? [] : [[name, server] as const],
    ),
  );
  const quotas = quotaLimits(files, connected);
  return { ...config, askable: snapshotAgents(files), servers: connected, quotas };
}

/**
 * Loads the configuration for opening sessions. Reads only the names in servers.yaml, so that none of its variables has
 * to be set. Throws like `loadConfig`.
 */
export function loadSessionConfig(folder: string, extensions: ExtensionNames = NO_EXTENSIONS): SessionConfig {
  return loadValidated(folder, () => serverNamesSchema, extensions).config;
}

/**
 * Loads only triage.yaml. Returns the built-in rules where the file or folder is missing.
 * @throws ConfigError with every fault of it.
 */
export function loadTriage(folder: string): TriageConfig {
  const faults: Fault[] = [];
  const yaml = readOneFile(folder, 'triage.yaml', faults);
  if (yaml === undefined) return NO_TRIAGE;
  const triage = validateFile(yaml, triageFileSchema(yaml.value), faults);
  if (triage === undefined || faults.length > 0) throw new ConfigError(faults);
  return triage;
}

/**
 * Loads only enrich.yaml with its tables. Returns none where the file or folder is missing.
 * @throws ConfigError with every fault of them.
 */
export function loadLookups(folder: string): Lookup[] {
  const faults: Fault[] = [];
  const yaml = readOneFile(folder, 'enrich.yaml', faults);
  if (yaml === undefined) return [];
  const lookups = checkLookups(folder, yaml, faults);
  if (lookups === undefined || faults.length > 0) throw new ConfigError(faults);
  return lookups;
}

/** The lookups of enrich.yaml; undefined when it has faults, which are added to `faults`. */
function checkLookups(folder: string, yaml: YamlFile, faults: Fault[]): Lookup[] | undefined {
  const file = validateFile(yaml, enrichFileSchema, faults);
  return file && readLookups(folder, yaml, file, faults);
}

function budgetSettings(files: Files): Pick<SessionConfig, 'smallModel' | 'budgetRules'> {
  const { smallModel, budgets: budgetRules = {} } = files.system;
  return { budgetRules, ...(smallModel !== undefined && { smallModel: findModel(files, smallModel) }) };
}

/** The rules of each chain that has some. */
function alertRulesOf(chains: Readonly<Record<string, ChainEntry>>): SessionConfig['alertRules'] {
  return Object.fromEntries(
    Object.entries(chains).flatMap(([name, { alerts }]) =>
      alerts === undefined ? [] : [[name, alerts] as const],
    ),
  );
}

/**
 * Loads only catch-up.yaml; its variables are not replaced. Returns none where the file or folder is missing.
 * @throws ConfigError with every fault of it.
 */
export function loadCatchUp(folder: string): Record<string, CatchUpSource> {
  const { sources, faults } = readCatchUp(folder);
  if (faults.length > 0) throw new ConfigError(faults);
  return sources;
}

function readCatchUp(folder: string): { sources: Record<string, CatchUpSource>; faults: Fault[] } {
  const faults: Fault[] = [];
  const yaml = readOneFile(folder, 'catch-up.yaml', faults);
  const file = yaml && validateFile(yaml, catchUpFileSchema, faults);
  return { sources: file?.sources ?? {}, faults };
}

/**
 * Loads only access.yaml. Without the file the API admits only keys.
 * @throws ConfigError with every fault of it.
 */
export function loadAccess(folder: string): AccessConfig {
  const faults: Fault[] = [];
  const yaml = readOneFile(folder, 'access.yaml', faults);
  const access =
    yaml === undefined ? accessFileSchema.parse({}) : validateFile(yaml, accessFileSchema, faults);
  if (access === undefined || faults.length > 0) throw new ConfigError(faults);
  return access;
}

function loadValidated<S extends z.ZodType>(
  folder: string,
  serversSchema: (models: KnownModels) => S,
  { toolSources: ownSources, providers }: ExtensionNames,
): { config: SessionConfig; servers: z.output<S>; files: Files } {
  const faults: Fault[] = [];
  const files = readFolder(folder, faults);
  const known = { ...definedNames(files, faults), ownSources };
  const check = <S extends z.ZodType>(file: YamlFile, schema: S) => validateFile(file, schema, faults);
  const models = check(files.models, modelsFileSchema(known.models, [...PROVIDERS, ...providers]));
  const agents = readAgents(files, known, faults);
  const chains = readChains(files, known.chains, known, faults);
  const system = check(files.system, systemFileSchema(known.models));
  const prices = check(files.prices, pricesFileSchema);
  const find = (name: string) =>
    models && prices && Object.hasOwn(models.models, name) ? findModel({ models, prices }, name) : undefined;
  const servers = check(files.servers, serversSchema({ known: known.models, find }));
  const masking = check(files.masking, maskingFileSchema);
  const resources = check(files.resources, resourcesFileSchema(files.resources.value));
  const triage = check(files.triage, triageFileSchema(files.triage.value, known.destinations));
  const destinations = check(files.destinations, destinationsFileSchema('none'))?.destinations;
  const enrich = checkLookups(folder, files.enrich, faults);
  const schedules = check(files.schedules, schedulesFileSchema(known.chains))?.schedules;
  const webhooks = check(files.webhooks, webhooksFileSchema(known.chains));
  if (
    !models ||
    !agents ||
    !chains ||
    servers === undefined ||
    !system ||
    !prices ||
    !masking ||
    !resources ||
    !triage ||
    !enrich ||
    !schedules ||
    !webhooks ||
    !destinations ||
    faults.length > 0
  ) {
    throw new ConfigError(faults);
  }

  const all: Files = { models, agents, chains, system, prices };
  const validServers = asObject(asObject(servers).servers);
  const snapshots = snapshotChains(all);
  const retentionMs = system.retention ?? DEFAULT_RETENTION_MS;
  const deadlineMs = (chain: string) =>
    chainEntry(chains.chains, chain).sessionDeadline ?? system.sessionDeadline ?? DEFAULT_SESSION_DEADLINE_MS;
  faults.push(
    ...agentFaults(all, validServers),
    ...summaryFaults(files.system, { system, models }),
    ...runbookFaults({ chains, system }, files.runbooks),
    ...quotaFaults(all, files.models),
    ...skillFaults(files.skills, known.servers),
    ...notifyFaults(files, destinations),
    ...readCatchUp(folder).faults,
    ...telemetryFaults(folder),
    ...Object.values(snapshots).flatMap((chain) => chainSizeFaults(chain, all)),
    ...retentionFaults(files.system, Object.keys(snapshots).map(deadlineMs), retentionMs),
  );
  if (faults.length > 0) throw new ConfigError(faults);

  const config = {
    chains: snapshots,
    defaultChain: chains.default,
    alertRules: alertRulesOf(chains.chains),
    sessionDeadlineMs: deadlineMs,
    budgets: (chain: string) => chainBudgets({ chains, system }, chain),
    ownServices: system.ownServices ?? [],
    retentionMs,
    alertPromptBytes: system.alertPromptLimit ?? DEFAULT_ALERT_PROMPT_BYTES,
    masking,
    triage,
    enrich,
    schedules,
    services: resources.services,
    ...budgetSettings(all),
    places: rulePlaces({ ...files, chains: [files.chains, ...files.moreChains] }),
    webhooks,
    notify: createNotify((name) => chainEntry(chains.chains, name), triage, destinations),
    agents: agentCatalog(all, known, validServers),
    runbooks: runbookConfig(all, files.runbooks),
    skills: [...files.skills.values()],
  };
  return { config, servers, files: all };
}

function retentionFaults(system: YamlFile, deadlinesMs: readonly number[], retentionMs: number): Fault[] {
  const message = 'is shorter than a sessionDeadline: documents would expire under a running session';
  return deadlinesMs.some((deadline) => deadline > retentionMs)
    ? [faultAt(system, ['retention'], message)]
    : [];
}

function chainBudgets(files: Parameters<typeof usageLimits>[0], chain: string) {
  return {
    sessionsPerHour: usageLimits(files, 'sessionsPerHour', chain, DEFAULT_SESSIONS_PER_HOUR),
    dailyTokens: usageLimits(files, 'dailyTokens', chain),
  };
}

/** The names that the files define, for references between them. */
function definedNames(files: ConfigFiles, faults: readonly Fault[]) {
  return {
    models: namesIn(files.models, 'models'),
    agents: agentNames(files),
    chains: namesInAll([files.chains, ...files.moreChains], 'chains'),
    servers: namesIn(files.servers, 'servers'),
    // A skill that cannot be read is one fault, not two.
    skills: faults.length > 0 ? undefined : [...files.skills.keys()],
    destinations: namesIn(files.destinations, 'destinations'),
  };
}

/** The names a file defines under `key`, valid or not; undefined when they are unknown, because the file holds no mapping. */
function namesIn(yaml: YamlFile, key: string): KnownNames {
  if (yaml.value === null || typeof yaml.value !== 'object') return undefined;
  const entries: unknown = Reflect.get(yaml.value, key);
  return entries !== null && typeof entries === 'object' ? Object.keys(entries) : [];
}

/** The names of the agents of both notations, valid or not; undefined when they are unknown. */
function agentNames({ agents, moreAgents }: ConfigFiles): KnownNames {
  const short = namesIn(agents, 'agents');
  if (short === undefined || moreAgents.some(({ value }) => value === undefined)) return undefined;
  const schemas = moreAgents.flatMap(({ value }) => {
    const { name } = asObject(asObject(value).json_schema_extra);
    return typeof name === 'string' ? [name] : [];
  });
  return [...new Set([...short, ...schemas])];
}

/** The names that several files define; undefined when those of one of them are unknown. */
function namesInAll(files: YamlFile[], key: string): KnownNames {
  const names = files.map((yaml) => namesIn(yaml, key));
  return names.some((one) => one === undefined) ? undefined : [...new Set(names.flatMap((one) => one ?? []))];
}

/**
 * The faults. Alerts of sources without a tenant belong to the default one; webhooks.yaml names the others. A destination that
 * shows none of these tenants would get nothing.
 */
function notifyFaults(
  files: Pick<ConfigFiles, 'chains' | 'moreChains' | 'triage' | 'webhooks'>,
  destinations: Destinations,
): Fault[] {
  const sources = Object.values(asObject(files.webhooks.value)).map((source) => asObject(source).tenant);
  const tenants = new Set([DEFAULT_TENANT, ...sources.filter((one) => typeof one === 'string')]);
  const check = (file: YamlFile, path: PropertyKey[], notify: unknown): Fault[] =>
    asArray(notify).flatMap((entry, index) => {
      const { to } = asObject(entry);
      const destination = typeof to === 'string' ? destinations[to] : undefined;
      if (destination === undefined || destination.tenants.some((tenant) => tenants.has(tenant))) return [];
      const message = `shows only sessions of ${destination.tenants.join(', ')}, and no source has that tenant; add ${[...tenants].join(' or ')} to its tenants in destinations.yaml, or the tenant to a source in webhooks.yaml`;
      return [faultAt(file, [...path, 'notify', index, 'to'], message)];
    });
  return [
    ...[files.chains, ...files.moreChains].flatMap((file) =>
      Object.entries(asObject(asObject(file.value).chains)).flatMap(([name, chain]) =>
        check(file, ['chains', name], asObject(chain).notify),
      ),
    ),
    ...asArray(asObject(files.triage.value).rules).flatMap((rule, index) =>
      check(files.triage, ['rules', index], asObject(rule).notify),
    ),
  ];
}
