// Reads a folder of YAML files into one validated configuration, or reports every fault in it at once.

import * as z from 'zod';
import { nameSchema } from '../core/schema/common.ts';
import { DEFAULT_TENANT } from '../core/schema/session.ts';
import { asArray, asObject } from '../text/json.ts';
import { describeExpected } from '../text/suggest.ts';
import { type AccessConfig, accessFile, addFirstMember } from './access.ts';
import { agentCatalog } from './agentCatalog.ts';
import { agentFileFaults, checkAgentFiles, type ExtensionNames, findNames } from './agentFiles.ts';
import { budgetFaults } from './budgetFaults.ts';
import { type CatchUpSource, catchUpFile } from './catchUpFile.ts';
import { chainEntry } from './chains.ts';
import type { ChainEntry } from './chainsFile.ts';
import type { Config, SessionConfig } from './config.ts';
import { ConfigError } from './configError.ts';
import { fileFaults, loadFile, readFiles } from './configFile.ts';
import { OTHER_FILES, SESSION_FILES } from './configFiles.ts';
import {
  DEFAULT_ALERT_PROMPT_BYTES,
  DEFAULT_SESSION_DEADLINE_MS,
  DEFAULT_SESSIONS_PER_HOUR,
} from './defaults.ts';
import type { Destinations } from './destinations.ts';
import { type Lookup, lookupsFile } from './enrichTables.ts';
import { strictMapping } from './fields.ts';
import type { Files } from './files.ts';
import { iterationConfig, serverSchema } from './loadIteration.ts';
import { refuseUnknownApis } from './modelApi.ts';
import { createNotify } from './notify.ts';
import { configOverview } from './overview.ts';
import { loadPostmortem } from './postmortemFile.ts';
import { type ConfigFiles, readFolder } from './readFolder.ts';
import { findModel, snapshotChains, usageLimits } from './resolve.ts';
import { DEFAULT_RETENTION_MS } from './retention.ts';
import { listRuleLines } from './ruleLines.ts';
import { runbookConfig, runbookFaults } from './runbooks.ts';
import type { KnownModels, RecordedServers } from './schema.ts';
import { loadOff, switchFaults } from './switches.ts';
import { type TriageConfig, triageFile } from './triageFile.ts';
import { type Fault, faultAt, type YamlFile } from './yamlFile.ts';

/** The names of the servers, with any content below them. */
const serverNamesSchema = strictMapping({
  servers: z.record(nameSchema, z.unknown()).nullable().optional(),
});

/** The percentage of a budget that is kept for critical alerts, unless it is configured. */
const DEFAULT_RESERVE = 20;

const NO_EXTENSIONS: ExtensionNames = { toolSources: [], providers: [] };

/**
 * Loads the whole configuration of `folder`. `env` fills in `${NAME}` in servers.yaml.
 * @param recorded whether servers with `transport: recorded` are accepted; they are left out of `servers`.
 * Default: refused.
 * @throws ConfigError (`CONFIG_INVALID`; `CONFIG_UNKNOWN_STRATEGY` when that is all) with every fault of all
 * files.
 */
export function loadConfig(
  folder: string,
  env: NodeJS.ProcessEnv,
  extensions: ExtensionNames = NO_EXTENSIONS,
  recorded: RecordedServers = 'refused',
): Config {
  const schema = serverSchema(folder, env, extensions, recorded);
  const { config, yaml, checked, known } = loadValidated(folder, schema, extensions);
  refuseUnknownApis(yaml.models, env);
  return { ...config, ...iterationConfig(yaml, checked, known) };
}

/**
 * Loads the configuration for opening sessions. Reads only the names in servers.yaml, so that none of its
 * variables has to be set. Throws like `loadConfig`.
 */
export function loadSessionConfig(folder: string, extensions: ExtensionNames = NO_EXTENSIONS): SessionConfig {
  return loadValidated(folder, () => serverNamesSchema, extensions).config;
}

/**
 * Loads only triage.yaml. Returns the built-in rules where the file or folder is missing.
 * @throws ConfigError with every fault of it.
 */
export const loadTriage = (folder: string): TriageConfig => loadFile(triageFile, folder);

/**
 * Loads only enrich.yaml with its tables. Returns none where the file or folder is missing.
 * @throws ConfigError with every fault of them.
 */
export const loadLookups = (folder: string): Lookup[] => loadFile(lookupsFile, folder);

function systemSettings(
  files: Files,
): Pick<SessionConfig, 'smallModel' | 'judgeModel' | 'budgetRules' | 'embeddingModel'> {
  const { smallModel, judgeModel, embeddingModel, budgets: budgetRules = {} } = files.system;
  return {
    budgetRules,
    ...(embeddingModel !== undefined && { embeddingModel }),
    ...(smallModel !== undefined && { smallModel: findModel(files, smallModel) }),
    ...(judgeModel !== undefined && { judgeModel: findModel(files, judgeModel) }),
  };
}

function collectAlertRules(chains: Readonly<Record<string, ChainEntry>>): SessionConfig['alertRules'] {
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
  return loadFile(catchUpFile, folder).sources;
}

/**
 * Loads only access.yaml. Without the file the API admits only keys, and the first member.
 * @param firstMember an e-mail address. Empty, or undefined: none.
 * @throws ConfigError with every fault of it.
 */
export function loadAccess(folder: string, firstMember?: string): AccessConfig {
  const access = loadFile(accessFile, folder);
  return firstMember ? addFirstMember(access, firstMember) : access;
}

function loadValidated<S extends z.ZodType>(
  folder: string,
  serversSchema: (models: KnownModels) => S,
  extensions: ExtensionNames,
) {
  const faults: Fault[] = [];
  const yaml = readFolder(folder, faults);
  faults.push(...switchFaults(yaml, folder));
  const known = findNames(yaml, extensions, faults);
  const checked = checkAgentFiles(yaml, { known, extensions, serversSchema }, faults);
  const contents = readFiles(SESSION_FILES, yaml, { folder, known }, faults);
  if (!checked || faults.length > 0) throw new ConfigError(faults);

  const { resources, triage, enrich, webhooks } = contents;
  const { destinations } = contents.destinations;
  const { files: all, serverEntries, masking } = checked;
  const { chains, system } = all;
  const snapshots = snapshotChains(all);
  const retentionMs = system.retention ?? DEFAULT_RETENTION_MS;
  const deadlineMs = (chain: string) =>
    chainEntry(chains.chains, chain).sessionDeadline ?? system.sessionDeadline ?? DEFAULT_SESSION_DEADLINE_MS;
  const postmortem = loadPostmortem(folder, faults);
  faults.push(
    ...agentFileFaults(yaml, checked, known),
    ...runbookFaults({ chains, system }, yaml.runbooks),
    ...notifyFaults(yaml, destinations),
    ...askFaults(yaml.destinations, destinations, Object.keys(chains.chains)),
    ...OTHER_FILES.flatMap((file) => fileFaults(file, folder)),
    ...retentionFaults(yaml.system, Object.keys(snapshots).map(deadlineMs), retentionMs),
    ...budgetFaults(yaml.system, { chains, system }, snapshots),
  );
  if (faults.length > 0) throw new ConfigError(faults);

  const config: SessionConfig = {
    chains: snapshots,
    defaultChain: chains.default,
    alertRules: collectAlertRules(chains.chains),
    sessionDeadlineMs: deadlineMs,
    budgets: (chain) => chainBudgets({ chains, system }, chain),
    reserveForCritical: (chain) => reservedPercent({ chains, system }, chain),
    ownServices: system.ownServices ?? [],
    retentionMs,
    alertPromptBytes: system.alertPromptLimit ?? DEFAULT_ALERT_PROMPT_BYTES,
    masking,
    triage,
    enrich,
    schedules: contents.schedules.schedules,
    services: resources.services,
    ...systemSettings(all),
    places: listRuleLines({ ...yaml, chains: [yaml.chains, ...yaml.moreChains] }),
    webhooks,
    notify: createNotify((name) => chainEntry(chains.chains, name), triage, destinations),
    agents: agentCatalog(all, known, serverEntries),
    overview: configOverview(all, serverEntries, destinations),
    runbooks: runbookConfig(all, yaml.runbooks),
    skills: [...yaml.skills.values()],
    off: loadOff(folder),
    ...(postmortem !== undefined && { postmortem }),
  };
  return { config, yaml, checked, known };
}

function chainBudgets(files: Parameters<typeof usageLimits>[0], chain: string) {
  return {
    sessionsPerHour: usageLimits(files, 'sessionsPerHour', chain, DEFAULT_SESSIONS_PER_HOUR),
    dailyTokens: usageLimits(files, 'dailyTokens', chain),
  };
}

/**
 * The faults. Alerts of sources without a tenant belong to the default one; webhooks.yaml names the others. A
 * destination that shows none of these tenants would get nothing.
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

/** The faults of destinations whose questions name a chain that does not exist. */
function askFaults(file: YamlFile, destinations: Destinations, chains: readonly string[]): Fault[] {
  return Object.entries(destinations).flatMap(([name, { asks }]) => {
    if (asks === undefined || chains.includes(asks.chain)) return [];
    const message = `unknown chain "${asks.chain}"; ${describeExpected(asks.chain, chains)}`;
    return [faultAt(file, ['destinations', name, 'asks', 'chain'], message)];
  });
}

/** The percentage of each budget that is kept for critical alerts. @param chain null outside of chains. */
function reservedPercent({ chains, system }: Pick<Files, 'chains' | 'system'>, chain: string | null): number {
  // A stored session can have a chain that the files no longer have.
  const isKnown = chain !== null && Object.hasOwn(chains.chains, chain);
  const ofChain = isKnown ? chains.chains[chain]?.reserveForCritical : undefined;
  return ofChain ?? system.reserveForCritical ?? DEFAULT_RESERVE;
}

/** The fault of a retention that is shorter than one of the time limits of sessions. */
function retentionFaults(system: YamlFile, deadlinesMs: readonly number[], retentionMs: number): Fault[] {
  const message = 'is shorter than a sessionDeadline: documents would expire under a running session';
  return deadlinesMs.some((deadline) => deadline > retentionMs)
    ? [faultAt(system, ['retention'], message)]
    : [];
}
