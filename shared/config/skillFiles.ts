// Reads the skills of a configuration: folders in skills/, each with a file SKILL.md (agentskills.io).

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { allowedToolNames, MAX_SKILL_BYTES, skillDescription, skillName } from '../agents/skillFields.ts';
import type { Skill } from '../core/contract/skills.ts';
import { BUILT_IN_TOOLS } from '../core/schema/agent.ts';
import { describeExpected } from '../text/suggest.ts';
import { quoteName } from './configError.ts';
import { eachOnce, type KnownNames, schemaByValue } from './fields.ts';
import { validateFile } from './validate.ts';
import { type Fault, faultAt, parseYaml, type YamlFile } from './yamlFile.ts';

const SKILL_FILE = 'SKILL.md';
/** Skills of a configuration: every process that runs agents holds their texts in memory. */
const MAX_SKILLS = 200;

/** A skill with its parsed front matter, for faults that depend on other files. */
interface SkillFile extends Skill {
  /** The front matter; its positions are those of SKILL.md. */
  yaml: YamlFile;
}

/** The skills by name. */
export type SkillFiles = ReadonlyMap<string, SkillFile>;

const toolNames = allowedToolNames.superRefine(eachOnce);

/** A text with blanks between the names, as the format has it, or a list. */
const allowedTools = schemaByValue<string[]>((value) =>
  Array.isArray(value)
    ? toolNames
    : z
        .string()
        .transform((text) => text.split(/[\s,]+/).filter((name) => name !== ''))
        .pipe(toolNames),
);

/** Other keys of the format, and of other programs, are accepted and mean nothing. */
const frontMatter = z.looseObject({
  name: skillName,
  description: skillDescription,
  'allowed-tools': allowedTools.optional(),
});

/**
 * The skills by name. Ignores files beside the folders, and folders whose names start with a dot.
 * @param names of what is in `folder`.
 * @param faults receives the faults of the files.
 */
export function readSkills(
  folder: string,
  names: readonly string[],
  faults: Fault[],
): Map<string, SkillFile> {
  const skills = new Map<string, SkillFile>();
  const isFolder = (name: string) => statSync(path.join(folder, name)).isDirectory();
  const folders = names.filter((name) => !name.startsWith('.') && isFolder(name)).sort();
  for (const name of folders) {
    const skill = readSkill(path.join(folder, name), faults);
    if (skill !== undefined) skills.set(skill.name, skill);
  }
  if (folders.length > MAX_SKILLS) {
    const message = `has ${folders.length} skills; there can be at most ${MAX_SKILLS}`;
    faults.push({ file: folder, position: null, path: '', message });
  }
  return skills;
}

function readSkill(folder: string, faults: Fault[]): SkillFile | undefined {
  const file = path.join(folder, SKILL_FILE);
  const fault = (message: string): undefined => void faults.push({ file, position: null, path: '', message });
  const names = readdirSync(folder);
  if (!names.includes(SKILL_FILE)) {
    const similar = names.find((name) => name.toUpperCase() === SKILL_FILE.toUpperCase());
    const fix = similar === undefined ? 'write it' : `rename ${similar} to ${SKILL_FILE}`;
    return fault(`is missing; ${fix}, or remove the folder ${path.basename(folder)}`);
  }
  const read = readSkillFile(file);
  if ('fault' in read) return fault(read.fault);
  const parts = /^---[^\S\n]*\n([\s\S]*?\n)?---[^\S\n]*(?:\n([\s\S]*))?$/.exec(read.text);
  if (parts === null) return fault('must start with front matter: "---", name and description, "---"');
  const [, head = '', body = ''] = parts;
  // A line in the place of the first "---", so that positions are those of the file.
  const yaml = parseYaml(file, `\n${head}`);
  faults.push(...yaml.faults);
  const parsed = validateFile(yaml, frontMatter, faults);
  if (parsed === undefined) return undefined;
  const { name, description, 'allowed-tools': allowed } = parsed;
  if (name !== path.basename(folder)) {
    const message = `must be "${path.basename(folder)}", the name of its folder`;
    faults.push(faultAt(yaml, ['name'], message));
    return undefined;
  }
  const text = body.trim();
  if (text === '') return fault('has no text below its front matter; write the instructions, or remove it');
  return { name, description, text, yaml, ...(allowed !== undefined && { allowedTools: allowed }) };
}

function readSkillFile(file: string): { text: string } | { fault: string } {
  try {
    const { size } = statSync(file);
    if (size > MAX_SKILL_BYTES)
      return { fault: `has ${size} bytes; a skill can have at most ${MAX_SKILL_BYTES}` };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    return { text: text.replaceAll('\r\n', '\n') };
  } catch (error) {
    if (error instanceof TypeError) return { fault: 'is not UTF-8 text; save it as UTF-8' };
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { fault: `cannot be read (${code})` };
  }
}

/** Faults of `allowed-tools`: servers that servers.yaml does not define leave an agent no tool. */
export function skillFaults(skills: SkillFiles, servers: KnownNames): Fault[] {
  if (servers === undefined) return [];
  return [...skills.values()].flatMap(({ yaml, allowedTools = [] }) =>
    allowedTools.flatMap((entry) => {
      const [server = ''] = entry.split('.');
      const isPrefix = entry.endsWith('*') && !entry.includes('.');
      const isKnown = isPrefix
        ? servers.some((name) => name.startsWith(entry.slice(0, -1)))
        : servers.includes(server) || BUILT_IN_TOOLS.includes(entry);
      if (isKnown) return [];
      const message = `unknown server ${quoteName(isPrefix ? entry : server)}; ${describeExpected(server, servers)}`;
      return [faultAt(yaml, ['allowed-tools'], message)];
    }),
  );
}
