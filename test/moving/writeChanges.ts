// Writes a planned change: moves files, writes and formats texts, and fits mutants' texts.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { projectFile } from '../../shared/projectFiles.ts';
import { applyEdits, type FileEdits, lineAt, sortEdits } from './edits.ts';
import { type MovedPaths, mapPath } from './movedPaths.ts';
import { type MutantText, refitMutants } from './mutantTexts.ts';
import { classifyFile, foldersAbove, type Repository } from './repository.ts';

/** Files of a command of biome: the system limits its length. */
const FILES_AT_ONCE = 400;

/** A change of a repository. */
export interface Change {
  moved: MovedPaths;
  edits: FileEdits;
  mutants: readonly MutantText[];
}

/** The lines that describe a change: each move, and each edit with its line. */
export function describeChange(repository: Repository, { moved, edits }: Change): string[] {
  const moves = [...moved.files].map(([from, to]) => `${from} -> ${to}`);
  const changes = [...edits].flatMap(([file, found]) => {
    const text = repository.read(file);
    return sortEdits(found).map(
      ({ start, end, text: to }) => `${file}:${lineAt(text, start)} ${text.slice(start, end)} -> ${to}`,
    );
  });
  return [...moves, ...changes];
}

/**
 * Makes a change in the working tree. Only code that changed is formatted.
 * @returns the places of mutants whose text is not once in its file afterwards.
 */
export function writeChange(repository: Repository, { moved, edits, mutants }: Change): string[] {
  const { root } = repository;
  const texts = new Map([...edits].map(([file, found]) => [file, applyEdits(repository.read(file), found)]));
  moveAll(root, moved.files);
  const write = (file: string, text: string) => writeFileSync(join(root, file), text);
  for (const [file, text] of texts) write(mapPath(moved, file), text);
  const code = [...new Set([...edits.keys(), ...moved.files.keys()])].filter(
    (file) => classifyFile(file) === 'code',
  );
  formatFiles(
    root,
    code.map((file) => mapPath(moved, file)),
  );
  const read = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '');
  const lists = [...new Set(mutants.map(({ list }) => mapPath(moved, list)))];
  const refit = refitMutants(lists, read);
  for (const [file, found] of refit.edits) write(file, applyEdits(read(file), found));
  formatFiles(root, [...refit.edits.keys()]);
  return refit.unmatched;
}

/** Moves files with git, in two steps for moved targets, and removes empty folders. */
function moveAll(root: string, moves: ReadonlyMap<string, string>): void {
  const git = (from: string, to: string) => {
    mkdirSync(join(root, dirname(to)), { recursive: true });
    execFileSync('git', ['mv', from, to], { cwd: root });
  };
  const aside = (to: string) => (moves.has(to) ? `${to}.moved` : to);
  for (const [from, to] of moves) if (from !== to) git(from, aside(to));
  for (const [from, to] of moves) if (from !== to && aside(to) !== to) git(aside(to), to);
  for (const folder of [...moves.keys()].flatMap(foldersAbove)) removeEmpty(join(root, folder));
}

function removeEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Sorts imports and formats, without the rules of lint. */
function formatFiles(root: string, files: readonly string[]): void {
  for (let first = 0; first < files.length; first += FILES_AT_ONCE)
    execFileSync(
      projectFile('node_modules/.bin/biome'),
      [
        'check',
        '--write',
        '--linter-enabled=false',
        '--no-errors-on-unmatched',
        ...files.slice(first, first + FILES_AT_ONCE),
      ],
      { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
    );
}
