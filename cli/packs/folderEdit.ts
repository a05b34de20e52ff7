// Collects changes to a configuration folder's files, and writes all of them at the end.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeCause } from '../../shared/core/errors.ts';
import { createFolder } from '../../shared/projectFiles.ts';
import { parseVariables } from '../process/loadVariables.ts';
import { UsageError } from '../process/usageError.ts';

/** Holds the settings and secrets of a configuration. Only its owner can read it. */
const ENV_FILE = '.env';
const ENV_MODE = 0o600;
const PLAIN_VALUE = /^[\w./:@%+,=~-]*$/;

/** Changes to the files of a folder. Paths are relative to it. */
export interface FolderEdit {
  /** The text of a file with the changes so far; empty when it does not exist. */
  read(path: string): string;
  /** Whether a file exists, or will. */
  has(path: string): boolean;
  /** Sets the text of a file. */
  set(path: string, text: string): void;
  /** The paths whose text differs from the stored one, sorted. */
  changed(): string[];
  /** Writes the changed files whole. Creates the folder. @throws UsageError with the failed file. */
  save(): void;
}

/** Starts to change a folder, which need not exist. */
export function editFolder(folder: string): FolderEdit {
  const texts = new Map<string, string>();
  const stored = (path: string) =>
    existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : undefined;
  const changed = () =>
    [...texts]
      .filter(([path, text]) => stored(path) !== text)
      .map(([path]) => path)
      .sort();
  return {
    read: (path) => texts.get(path) ?? stored(path) ?? '',
    has: (path) => texts.has(path) || stored(path) !== undefined,
    set: (path, text) => void texts.set(path, text),
    changed,
    save() {
      // Last: after a kill, .gitignore already names it.
      const paths = changed().sort((one, other) => Number(one === ENV_FILE) - Number(other === ENV_FILE));
      for (const path of paths) {
        const file = join(folder, path);
        try {
          writeWhole(file, texts.get(path) ?? '', path === ENV_FILE ? { mode: ENV_MODE } : {});
        } catch (error) {
          throw new UsageError(
            `${file} cannot be written: ${describeCause(error)}; name a folder that you can write`,
          );
        }
      }
    },
  };
}

function writeWhole(file: string, text: string, mode: { mode?: number }): void {
  createFolder(dirname(file));
  // The mode counts only for a file that is created; one of an interrupted run can be readable by all.
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, text, mode);
  renameSync(`${file}.new`, file);
}

/** The variables of a folder's `.env`. */
export function readVariables(edit: Pick<FolderEdit, 'read'>): Record<string, string> {
  return parseVariables(edit.read(ENV_FILE));
}

/** Sets a variable in `.env`, with a comment above a new one. Other lines stay as they are. */
export function setVariable(edit: FolderEdit, name: string, value: string, comment: string): void {
  if (readVariables(edit)[name] === value) return;
  const text = edit.read(ENV_FILE);
  const line = `${name}=${quoteYaml(value)}`;
  const old = new RegExp(`^(?:export )?${name}=(?:'[^']*'|"[^"]*"|\`[^\`]*\`|[^\\n]*)`, 'm');
  const isSet = old.test(text);
  edit.set(ENV_FILE, isSet ? text.replace(old, () => line) : `${text}# ${comment}\n${line}\n`);
}

function quoteYaml(value: string): string {
  if (PLAIN_VALUE.test(value)) return value;
  const quote = ["'", '"', '`'].find((one) => !value.includes(one)) ?? "'";
  return `${quote}${value}${quote}`;
}
