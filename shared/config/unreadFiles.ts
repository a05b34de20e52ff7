// Finds files beside those of a configuration that look like configuration and are not read.

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { asArray, asObject } from '../text/json.ts';
import { closestTo } from '../text/suggest.ts';
import { CONFIG_FILES, CONFIG_FOLDERS, readOneFile } from './readFolder.ts';
import type { Fault } from './yamlFile.ts';

const YAML_END = /\.ya?ml$/i;
/** Forms of configuration that are not read, and endings that editors add. */
const OTHER_END = /\.(?:json5?|toml|ya?ml\.txt)$/i;
const DOCUMENTATION = /^(?:README|LICENSE|CHANGELOG)\b/i;
const STEMS = [...CONFIG_FILES].map((name) => name.replace(YAML_END, ''));

/** A fault for each such file or folder, except those whose names start with a dot. */
export function findUnreadFiles(folder: string): Fault[] {
  const names = namesIn(folder);
  return names.flatMap((name): Fault[] => {
    if (CONFIG_FOLDERS.includes(name)) return listUnreadBelow(folder, name);
    const message = isFolder(folder, name) ? folderFault(name) : fileFault(name, names);
    return message === undefined ? [] : [unreadFault(path.join(folder, name), message)];
  });
}

function folderFault(name: string): string | undefined {
  const closest = closestTo(name, CONFIG_FOLDERS);
  return closest === undefined ? undefined : `is not read; rename it to ${closest}, or move it`;
}

function fileFault(name: string, names: readonly string[]): string | undefined {
  const other = name.replace(OTHER_END, '');
  if (other !== name && STEMS.includes(other.toLowerCase()))
    return `is not read; write it as YAML in ${other.toLowerCase()}.yaml, or move it to another folder`;
  if (CONFIG_FILES.has(name) || !YAML_END.test(name)) return undefined;
  const closest = closestTo(name.replace(YAML_END, ''), STEMS);
  const rename =
    closest === undefined || names.includes(`${closest}.yaml`) ? '' : `rename it to ${closest}.yaml, or `;
  return `is not read; ${rename}move it to another folder`;
}

/** Entries of a folder that are not read. A start refuses `.yml` in agents/ and chains/. */
function listUnreadBelow(folder: string, name: string): Fault[] {
  if (!isFolder(folder, name)) return [];
  const below = path.join(folder, name);
  const why = REASONS[name] ?? (() => undefined);
  const tables = name === 'enrich' ? listTableFiles(folder) : [];
  return namesIn(below).flatMap((file) => {
    const message = why(file, isFolder(below, file), tables);
    return message === undefined ? [] : [unreadFault(path.join(below, file), message)];
  });
}

type Reason = (file: string, isFolder: boolean, tables: readonly unknown[]) => string | undefined;

const withYaml: Reason = (file, isFolder) => {
  if (isFolder) return 'is a folder, which is not read; move its files up';
  const isUnread = /\.(?:json5?|toml|txt)$/i.test(file) || (YAML_END.test(file) && !/\.ya?ml$/.test(file));
  return isUnread ? 'is not read; only files that end with .yaml are' : undefined;
};

/** Why an entry of each folder is not read; undefined for one that is read, and for documentation. */
const REASONS: Readonly<Record<string, Reason>> = {
  agents: withYaml,
  chains: withYaml,
  skills: (file, isFolder) =>
    isFolder || DOCUMENTATION.test(file)
      ? undefined
      : `is not read; a skill is a folder: ${file.replace(/\.\w+$/, '')}/SKILL.md`,
  runbooks: (file, isFolder) => {
    if (isFolder) return 'is a folder, which is not read; move its files up';
    return /\.(?:md|txt)$/.test(file) ? undefined : 'is not read; only files that end with .md or .txt are';
  },
  enrich: (file, isFolder, tables) =>
    isFolder || tables.includes(file) || DOCUMENTATION.test(file)
      ? undefined
      : 'is not read; no lookup of enrich.yaml names it',
};

/** The files that the lookups of enrich.yaml name, valid or not. */
function listTableFiles(folder: string): unknown[] {
  const { lookups } = asObject(readOneFile(folder, 'enrich', []).value);
  return asArray(lookups).map((lookup) => asObject(lookup).file);
}

const namesIn = (folder: string) => readdirSync(folder).filter((name) => !name.startsWith('.'));

function isFolder(folder: string, name: string): boolean {
  return statSync(path.join(folder, name)).isDirectory();
}

function unreadFault(file: string, message: string): Fault {
  return { file, position: null, path: '', message };
}
