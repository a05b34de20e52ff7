// Finds files beside those of a configuration that look like configuration and are not read.

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { closestTo } from '../text/suggest.ts';
import type { Fault } from './configError.ts';
import { CONFIG_FILES, CONFIG_FOLDERS } from './readFolder.ts';

const YAML_END = /\.ya?ml$/i;
const LOOKS_LIKE_CONFIG = /\.(?:ya?ml|json)$/i;

/** A fault for each such file or folder, except those whose names start with a dot. */
export function strayFiles(folder: string): Fault[] {
  const isFolder = (name: string) => statSync(path.join(folder, name)).isDirectory();
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  const read = [...CONFIG_FILES];
  const fault = (name: string, message: string): Fault => {
    return { file: path.join(folder, name), position: null, path: '', message };
  };
  return names.flatMap((name): Fault[] => {
    if (CONFIG_FOLDERS.includes(name)) return straysBelow(folder, name);
    if (isFolder(name)) {
      const closest = closestTo(name, CONFIG_FOLDERS);
      return closest === undefined ? [] : [fault(name, `is not read; rename it to ${closest}, or move it`)];
    }
    if (read.includes(name) || !YAML_END.test(name)) return [];
    const stem = name.replace(YAML_END, '');
    const closest = closestTo(
      stem,
      read.map((one) => one.replace(YAML_END, '')),
    );
    const rename =
      closest === undefined || names.includes(`${closest}.yaml`) ? '' : `rename it to ${closest}.yaml, or `;
    return [fault(name, `is not read; ${rename}move it to another folder`)];
  });
}

/** Files of agents/ and chains/ with another ending than .yaml; `.yml` is a fault of every start. */
function straysBelow(folder: string, name: string): Fault[] {
  const below = path.join(folder, name);
  if (['runbooks', 'skills', 'enrich'].includes(name) || !statSync(below).isDirectory()) return [];
  return readdirSync(below)
    .filter((file) => LOOKS_LIKE_CONFIG.test(file) && !/\.ya?ml$/.test(file) && !file.startsWith('.'))
    .map((file) => {
      const message = `is not read; only files that end with .yaml are`;
      return { file: path.join(below, file), position: null, path: '', message };
    });
}
