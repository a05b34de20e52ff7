// The production files of the repository, parsed once for all figures.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Comment, type EcmaScriptModule, type Program, parseSync } from 'oxc-parser';

/** One parsed production file. */
export interface Source {
  /** Path below the repository, with forward slashes. */
  file: string;
  text: string;
  /** Count of lines, comments and blank lines included. */
  lines: number;
  program: Program;
  comments: Comment[];
  /** Its imports and exports by name. */
  module: EcmaScriptModule;
}

const ROOTS = ['functions', 'cli', 'local', 'deploy', 'packages', 'shared', 'web'];

/** Tests, fixtures, and the dashboard's tools for development. */
const NOT_PRODUCTION = /\.(test|fixture)\.tsx?$|\.d\.ts$|^web\/(dev|fixtures)\//;

/**
 * Reads and parses all production files that git tracks.
 * @throws Error when a file cannot be parsed.
 */
export function productionSources(): Source[] {
  return trackedFiles(ROOTS)
    .filter((file) => !NOT_PRODUCTION.test(file))
    .map(parseFile);
}

/** All other files in TypeScript that git tracks: tests, fixtures, examples. They import, too. */
export function otherSources(): Source[] {
  const production = new RegExp(`^(?:${ROOTS.join('|')})/`);
  return trackedFiles()
    .filter((file) => !production.test(file) || NOT_PRODUCTION.test(file))
    .map(parseFile);
}

/**
 * The paths of all TypeScript that git tracks below `roots`; tests included. Default: in the whole
 * repository.
 */
export function trackedFiles(roots: readonly string[] = []): string[] {
  const tracked = execFileSync('git', ['ls-files', '-z', ...roots], { encoding: 'utf8' }).split('\0');
  return tracked.filter((file) => /\.tsx?$/.test(file));
}

function parseFile(file: string): Source {
  const text = readFileSync(file, 'utf8');
  const { program, comments, module, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  return { file, text, lines: text.split('\n').length - 1, program, comments, module };
}
