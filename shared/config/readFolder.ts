// Reads the YAML files of a configuration folder. Missing and unreadable files become faults.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../text/json.ts';
import { closestTo } from '../text/suggest.ts';
import { ConfigError } from './configError.ts';
import { type ParsedFiles, readParsedFiles, readYamlText } from './parsedFiles.ts';
import { readRunbooks } from './runbookFiles.ts';
import { readSkills, type SkillFiles } from './skillFiles.ts';
import type { Fault, YamlFile } from './yamlFile.ts';

/** The files that are read together, in this order. */
const TOGETHER = [
  'models',
  'agents',
  'chains',
  'servers',
  'system',
  'prices',
  'resources',
  'masking',
  'triage',
  'enrich',
  'schedules',
  'webhooks',
  'destinations',
] as const;
/** The files that are read one by one. */
const APART = ['access', 'catch-up', 'telemetry'] as const;

/** The name of a file, without `.yaml`. */
export type ConfigFileName = (typeof TOGETHER)[number] | (typeof APART)[number];

/** The files of a configuration, by content. A missing optional file holds an empty mapping. */
export type ConfigFiles = Record<(typeof TOGETHER)[number], YamlFile> & {
  /** The files in chains/, in the order of their names. */
  moreChains: YamlFile[];
  /** The files in agents/, in the order of their names. */
  moreAgents: YamlFile[];
  /** The texts of the files in runbooks/, by key. */
  runbooks: ReadonlyMap<string, string>;
  /** The skills of the folders in skills/, by name. */
  skills: SkillFiles;
};

/** Beside chains.yaml: a folder of files with further chains. */
const CHAINS_FOLDER = 'chains';
/** Beside agents.yaml: a folder of files with one agent each. */
const AGENTS_FOLDER = 'agents';
/** Beside them: a folder of texts. */
const RUNBOOKS_FOLDER = 'runbooks';
/** Beside them: a folder with a folder for each skill. */
const SKILLS_FOLDER = 'skills';

/** Names of the folders that are read. */
export const CONFIG_FOLDERS: readonly string[] = [
  CHAINS_FOLDER,
  AGENTS_FOLDER,
  RUNBOOKS_FOLDER,
  SKILLS_FOLDER,
  'enrich',
];

/** Names of the files that are read. */
export const CONFIG_FILES: ReadonlySet<string> = new Set(
  [...TOGETHER, ...APART].map((name) => `${name}.yaml`).sort(),
);

/**
 * Reads the files and folders of `folder`; those of agents, chains and models are required. Without
 * agents.yaml there must be a folder agents/.
 * Faults are added to `faults`.
 * @throws ConfigError when there is no such folder, or it cannot be listed.
 */
export function readFolder(folder: string, faults: Fault[]): ConfigFiles {
  const rule = 'is not a folder; INQUEST_CONFIG must name one with agents.yaml, chains.yaml and models.yaml';
  const names = listFolder(folder, rule);
  const parsed = readParsedFiles(folder);
  const read = (name: string, need: Need) => parseYamlFile(folder, name, need, { names, parsed }, faults);
  const hasAgents = names.includes(AGENTS_FOLDER);
  const more = (name: string, what: string) =>
    names.includes(name) ? readFiles(path.join(folder, name), what, parsed, faults) : [];
  const required = ['models', 'chains', ...(hasAgents ? [] : ['agents'])];
  const files = Object.fromEntries(
    TOGETHER.map((name) => [name, read(`${name}.yaml`, required.includes(name) ? 'required' : 'optional')]),
  ) as Record<(typeof TOGETHER)[number], YamlFile>;
  const { agents } = files;
  return {
    ...files,
    agents: hasAgents && isEmptyFile(agents) ? { ...agents, value: { agents: {} } } : agents,
    moreChains: more(CHAINS_FOLDER, 'files with chains, beside chains.yaml'),
    moreAgents: more(AGENTS_FOLDER, 'files with one agent each, beside agents.yaml'),
    runbooks: names.includes(RUNBOOKS_FOLDER)
      ? readRunbookFolder(path.join(folder, RUNBOOKS_FOLDER), faults)
      : new Map(),
    skills: names.includes(SKILLS_FOLDER)
      ? readSkillFolder(path.join(folder, SKILLS_FOLDER), faults)
      : new Map(),
  };
}

/**
 * Reads only one file, for callers that need no agents; an empty mapping where the file or folder is missing.
 * Adds faults to `faults`.
 */
export function readOneFile(folder: string, name: ConfigFileName, faults: Fault[]): YamlFile {
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const [names, parsed] = isThere ? [readdirSync(folder), readParsedFiles(folder)] : [[], {}];
  return parseYamlFile(folder, `${name}.yaml`, 'optional', { names, parsed }, faults);
}

/** Whether a file holds an empty mapping, or there is none. */
function isEmptyFile({ value }: YamlFile): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function readRunbookFolder(folder: string, faults: Fault[]): ReadonlyMap<string, string> {
  return readRunbooks(folder, listFolder(folder, 'is not a folder; it can hold runbooks, KEY.md'), faults);
}

function readSkillFolder(folder: string, faults: Fault[]): SkillFiles {
  return readSkills(folder, listFolder(folder, 'is not a folder; it can hold skills, NAME/SKILL.md'), faults);
}

/** The YAML files of a folder in the order of their names. Ignores other files. */
function readFiles(folder: string, content: string, parsed: ParsedFiles, faults: Fault[]): YamlFile[] {
  const rule = `is not a folder; it can hold ${content}`;
  const names = listFolder(folder, rule).filter((name) => !name.startsWith('.'));
  for (const name of names.filter((one) => one.endsWith('.yml'))) {
    const message = `is not read; rename it to ${name.replace(/\.yml$/, '.yaml')}`;
    faults.push({ file: path.join(folder, name), position: null, path: '', message });
  }
  // By code unit: the order decides which chain takes an alert, so it must be the same on every machine.
  const yaml = names.filter((name) => name.endsWith('.yaml')).sort();
  return yaml.map((name) => parseYamlFile(folder, name, 'optional', { names, parsed }, faults));
}

/** Names of the files in `folder`. @param rule the message when `folder` is not a folder. */
function listFolder(folder: string, rule: string): string[] {
  const fault = (message: string) => new ConfigError([{ file: folder, position: null, path: '', message }]);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw fault(rule);
  }
  try {
    return readdirSync(folder);
  } catch (error) {
    throw fault(`cannot be read (${systemCode(error)})`);
  }
}

/** The YAML file with the most similar name; the extension is ignored. */
function similarTo(name: string, names: string[]): string | undefined {
  const others = names.filter((other) => YAML_END.test(other) && !CONFIG_FILES.has(other));
  const closest = closestTo(cutYamlEnding(name), others.map(cutYamlEnding));
  return others.find((other) => cutYamlEnding(other) === closest);
}

const YAML_END = /\.ya?ml$/i;
const cutYamlEnding = (name: string): string => name.replace(YAML_END, '');

type Need = 'required' | 'optional';

function parseYamlFile(
  folder: string,
  name: string,
  need: Need,
  { names, parsed }: { names: string[]; parsed: ParsedFiles },
  faults: Fault[],
): YamlFile {
  const file = path.join(folder, name);
  const position = () => ({ line: 1, column: 1 });
  const absent: YamlFile = { file, text: '', value: undefined, faults: [], cuts: [], position };
  const similar = names.includes(name) ? undefined : similarTo(name, names);
  const hint = similar === undefined ? '' : `; rename ${similar} to ${name}`;
  if (!names.includes(name) && (need === 'required' || similar !== undefined)) {
    faults.push({ file, position: null, path: '', message: `is missing${hint}` });
    return absent;
  }
  if (!names.includes(name)) return { ...absent, value: {} };
  try {
    const yaml = readYamlText(file, readFileSync(file, 'utf8'), parsed);
    faults.push(...yaml.faults);
    // A file that holds only comments has the value null.
    return need === 'optional' && yaml.value === null ? { ...yaml, value: {} } : yaml;
  } catch (error) {
    faults.push({ file, position: null, path: '', message: `cannot be read (${systemCode(error)})` });
    return absent;
  }
}

/** `ENOENT` and the like: enough to act on, without paths of the machine. */
function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
