// The files that agents are made of: models, agents, chains, system, prices, servers and masking. They refer
// to each other, so they are checked together. An iteration needs no other file.

import type * as z from 'zod';
import { PROVIDERS } from '../core/contract/modelFacts.ts';
import type { MaskingRules } from '../masking/masker.ts';
import { asObject, type JsonObject } from '../text/json.ts';
import { agentFaults, chainSizeFaults } from './agentFaults.ts';
import type { AgentReferences } from './agentTypes.ts';
import type { ChainReferences } from './chainsFile.ts';
import type { KnownNames } from './fields.ts';
import type { Files } from './files.ts';
import { maskingFileSchema } from './masking.ts';
import { quotaFaults } from './quotas.ts';
import { readAgents } from './readAgents.ts';
import { readChains } from './readChains.ts';
import type { ConfigFiles } from './readFolder.ts';
import { findModel, snapshotChains } from './resolve.ts';
import { type KnownModels, modelsFileSchema, pricesFileSchema, systemFileSchema } from './schema.ts';
import { skillFaults } from './skillFiles.ts';
import { summaryFaults } from './strategies.ts';
import { validateFile } from './validate.ts';
import type { Fault, YamlFile } from './yamlFile.ts';

/** Names that the configuration can use although no file defines them; none by default. */
export interface ExtensionNames {
  /** Tool sources, which agents name in `tools` like servers. */
  toolSources: readonly string[];
  /** Providers of models besides the native one and those of LangChain. */
  providers: readonly string[];
}

/** The names that the files define, for references between them. */
export interface DefinedNames extends AgentReferences, ChainReferences {
  models: KnownNames;
  agents: KnownNames;
  servers: KnownNames;
  ownSources: readonly string[];
  chains: KnownNames;
}

/** The contents of valid files, whose references still have to be checked with `agentFileFaults`. */
export interface AgentFiles<S> {
  files: Files;
  /** The parsed servers.yaml. */
  servers: S;
  /** The entries of servers.yaml by name, as parsed. */
  serverEntries: JsonObject;
  masking: MaskingRules;
}

interface AgentFileRules<S extends z.ZodType> {
  known: DefinedNames;
  extensions: ExtensionNames;
  /** The schema of servers.yaml. */
  serversSchema(models: KnownModels): S;
}

/**
 * Checks each file on its own. Adds faults to `faults`.
 * @returns undefined when one of the files has faults.
 */
export function checkAgentFiles<S extends z.ZodType>(
  yaml: ConfigFiles,
  { known, extensions: { providers }, serversSchema }: AgentFileRules<S>,
  faults: Fault[],
): AgentFiles<z.output<S>> | undefined {
  const check = <S extends z.ZodType>(file: YamlFile, schema: S) => validateFile(file, schema, faults);
  const models = check(yaml.models, modelsFileSchema(known.models, [...PROVIDERS, ...providers]));
  const agents = readAgents(yaml, known, faults);
  const chains = readChains(yaml, known.chains, known, faults);
  const system = check(yaml.system, systemFileSchema(known.models));
  const prices = check(yaml.prices, pricesFileSchema);
  const find = (name: string) =>
    models && prices && Object.hasOwn(models.models, name) ? findModel({ models, prices }, name) : undefined;
  const servers = check(yaml.servers, serversSchema({ known: known.models, find }));
  const masking = check(yaml.masking, maskingFileSchema);
  if (!models || !agents || !chains || !system || !prices || !masking || servers === undefined)
    return undefined;
  const serverEntries = asObject(asObject(servers).servers);
  return { files: { models, agents, chains, system, prices }, servers, serverEntries, masking };
}

/** The faults of references between valid files. */
export function agentFileFaults(
  yaml: ConfigFiles,
  { files, serverEntries }: Pick<AgentFiles<unknown>, 'files' | 'serverEntries'>,
  known: DefinedNames,
): Fault[] {
  return [
    ...agentFaults(files, serverEntries),
    ...summaryFaults(yaml.system, files),
    ...quotaFaults(files, yaml.models),
    ...skillFaults(yaml.skills, known.servers),
    ...Object.values(snapshotChains(files)).flatMap((chain) => chainSizeFaults(chain, files)),
  ];
}

/** Reads the names that the files define. */
export function findNames(
  yaml: ConfigFiles,
  { toolSources }: ExtensionNames,
  faults: readonly Fault[],
): DefinedNames {
  return {
    models: namesIn(yaml.models, 'models'),
    agents: agentNames(yaml),
    chains: namesInAll([yaml.chains, ...yaml.moreChains], 'chains'),
    servers: namesIn(yaml.servers, 'servers'),
    // A skill that cannot be read is one fault, not two.
    skills: faults.length > 0 ? undefined : [...yaml.skills.keys()],
    destinations: namesIn(yaml.destinations, 'destinations'),
    ownSources: toolSources,
  };
}

/** The names that a file defines under `key`, valid or not; undefined if the file has no mapping. */
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
