// Joins the agents of agents.yaml and of the files in agents/. Stored agents replace those of the files.

import path from 'node:path';
import type { AgentText } from '../contract/agentText.ts';
import { agentDocumentSchema } from './agentDocument.ts';
import { entryOfDocument, type Remark } from './agentEntry.ts';
import type { AgentEntry, AgentReferences, Agents } from './agentTypes.ts';
import { quoteName } from './configError.ts';
import type { ConfigFiles } from './readFolder.ts';
import { agentsFileSchema } from './schema.ts';
import { validateFile } from './validate.ts';
import { type Fault, faultAt, parseYaml, type YamlFile, type YamlPath } from './yamlFile.ts';

/** None. */
export const NO_AGENTS: Agents = { agents: {}, remarks: [], fileOf: new Map() };

/** Nothing is known, so that every reference is accepted. */
export const ANY_REFERENCE: AgentReferences = { models: undefined, servers: undefined, ownSources: [] };

/** Validates and joins the files of agents; undefined with faults, which are added to `faults`. */
export function readAgents(
  { agents: main, moreAgents }: Pick<ConfigFiles, 'agents' | 'moreAgents'>,
  known: AgentReferences,
  faults: Fault[],
): Agents | undefined {
  const before = faults.length;
  const { models, servers, ownSources, skills } = known;
  const first = validateFile(main, agentsFileSchema(models, servers, ownSources, skills), faults);
  const agents: Record<string, AgentEntry> = { ...first?.agents };
  const fileOf = new Map(Object.keys(agents).map((name) => [name, main]));
  const remarks: Fault[] = [];
  for (const file of moreAgents) {
    const read = readAgent(file, known, faults);
    if (read === undefined) continue;
    const { name, entry } = read;
    const defined = fileOf.get(name);
    if (defined !== undefined) {
      const { line } = defined.position(placeIn(agents[name], name, []), 'key');
      const message = `this agent is already defined (${defined.file}:${line}); give one of them another name`;
      faults.push(faultAt(file, ['json_schema_extra', 'name'], message));
      continue;
    }
    const fileName = path.basename(file.file, '.yaml');
    if (fileName !== name) {
      const message = `the file must be called ${name}.yaml, or the agent ${quoteName(fileName)}`;
      faults.push(faultAt(file, ['json_schema_extra', 'name'], message));
    }
    agents[name] = entry;
    fileOf.set(name, file);
    remarks.push(...read.remarks);
  }
  if (first === undefined || faults.length > before) return undefined;
  return { agents, fileOf, remarks };
}

/** One agent of a file like agents/NAME.yaml; undefined with faults, which are added to `faults`. */
function readAgent(
  file: YamlFile,
  known: AgentReferences,
  faults: Fault[],
): { name: string; entry: AgentEntry; remarks: Fault[] } | undefined {
  const document = validateFile(file, agentDocumentSchema(known), faults);
  if (document === undefined) return undefined;
  const { entry, remarks } = entryOfDocument(document, known);
  const toFault = ({ path: at, message, what = 'value' }: Remark) => faultAt(file, at, message, what);
  return { name: document.json_schema_extra.name, entry, remarks: remarks.map(toFault) };
}

/** The agents with one added or replaced; undefined with faults, which are added to `faults`. */
export function withAgent(
  { agents, fileOf, remarks }: Agents,
  { name, yaml, file = `agents/${name}` }: AgentText,
  known: AgentReferences,
  faults: Fault[],
): Agents | undefined {
  const parsed = parseYaml(file, yaml);
  faults.push(...parsed.faults);
  const read = readAgent(parsed, known, faults);
  if (read === undefined || parsed.faults.length > 0) return undefined;
  if (read.name !== name) {
    faults.push(
      faultAt(parsed, ['json_schema_extra', 'name'], `must be "${name}", the name it is stored under`),
    );
    return undefined;
  }
  return {
    agents: { ...agents, [name]: read.entry },
    fileOf: new Map([...fileOf, [name, parsed]]),
    remarks: [...remarks.filter((remark) => remark.file !== fileOf.get(name)?.file), ...read.remarks],
  };
}

/** A fault at a value of an agent, by the path that agents.yaml has for it. */
export function agentFault(
  { agents, fileOf }: Pick<Agents, 'agents' | 'fileOf'>,
  name: string,
  at: YamlPath,
  message: string,
): Fault {
  const file = fileOf.get(name);
  if (file === undefined) throw new Error(`agent "${name}" passed validation but no file defines it`);
  return faultAt(file, placeIn(agents[name], name, at), message);
}

/** The path of an agent's value in its file. */
function placeIn(entry: AgentEntry | undefined, name: string, [key, ...rest]: YamlPath): YamlPath {
  const schema = entry?.schema;
  const below = key === undefined ? [] : [key, ...rest];
  if (schema === undefined) return ['agents', name, ...below];
  if (key === undefined) return ['json_schema_extra', 'name'];
  if (key === 'instructions') return ['description'];
  const extra = (...path: YamlPath) => ['json_schema_extra', ...path];
  if (key === 'model' && schema.overrideModel !== undefined) return extra('override_model');
  const [index] = rest;
  if (key === 'tools' && typeof index === 'number') return extra(key, schema.toolPlaces[index] ?? index);
  return extra(...below);
}
