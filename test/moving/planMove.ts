// Which files a move of files and folders changes, and how.

import { join } from 'node:path/posix';
import { addEdits, escapePattern, type FileEdits } from './edits.ts';
import { editPaths, type MovedPaths, mapPath, type TextPlace } from './movedPaths.ts';
import { editMutants, type MutantText } from './mutantTexts.ts';
import { editLinks, editPage } from './pagePaths.ts';
import { classifyFile, type Repository } from './repository.ts';
import { partsOfSource } from './sourceParts.ts';

/** What stands beside a file and moves with it. */
const COMPANION = /\.(test|fixture)(?=\.tsx?$)/;

/**
 * Where each file and folder is after moves. A target that ends with a slash, or is a folder, gets the file
 * by its name. The test and the fixture of a file (`a.test.ts` of `a.ts`) move with it. A folder whose files
 * all move to one folder is moved as well.
 * @throws Error when a file does not exist, has two targets, or a target exists.
 */
export function planPaths(repository: Repository, pairs: readonly (readonly [string, string])[]): MovedPaths {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  const add = (from: string, to: string): void => {
    if ((files.get(from) ?? to) !== to)
      throw new Error(`${from} has two targets: ${files.get(from)} and ${to}`);
    files.set(from, to);
  };
  for (const [given, target] of pairs) {
    const from = given.replace(/\/$/, '');
    const isInto = target.endsWith('/') || (repository.files.has(from) && repository.folders.has(target));
    const to = isInto ? join(target, from.split('/').at(-1) ?? '') : target;
    if (repository.files.has(from)) add(from, to);
    else if (repository.folders.has(from) && from !== '')
      for (const file of filesBelow(repository, from)) add(file, `${to}${file.slice(from.length)}`);
    else throw new Error(`${from} is no tracked file or folder`);
  }
  for (const file of repository.files) {
    const main = file.replace(COMPANION, '');
    const to = main === file || files.has(file) ? undefined : files.get(main);
    if (to !== undefined) add(file, to.replace(/(?=\.tsx?$)/, COMPANION.exec(file)?.[0] ?? ''));
  }
  for (const [from, to] of files)
    if (repository.files.has(to) && !files.has(to)) throw new Error(`${to}, the target of ${from}, exists`);
  if (new Set(files.values()).size < files.size) throw new Error('two files have the same target');
  for (const folder of repository.folders) {
    const target = targetOfFolder(repository, files, folder);
    if (target !== undefined) folders.set(folder, target);
  }
  return { files, folders };
}

/** The one folder that all files of a folder move to, with their paths below it. */
function targetOfFolder(
  repository: Repository,
  moved: ReadonlyMap<string, string>,
  folder: string,
): string | undefined {
  const targets = new Set(
    filesBelow(repository, folder).map((file) => {
      const [rest, to] = [file.slice(folder.length), moved.get(file)];
      return to?.endsWith(rest) ? to.slice(0, -rest.length) : undefined;
    }),
  );
  const [target] = targets;
  return targets.size === 1 ? target : undefined;
}

const filesBelow = ({ files }: Repository, folder: string): string[] =>
  folder === '' ? [] : [...files].filter((file) => file.startsWith(`${folder}/`));

/** The edits of all files, by their old paths, and the mutants that these change. */
export function planMove(
  repository: Repository,
  moved: MovedPaths,
): { edits: FileEdits; mutants: MutantText[] } {
  const edits: FileEdits = new Map();
  const isNear = mentionsAny(moved);
  for (const file of repository.files) {
    const kind = classifyFile(file);
    if (kind === 'recorded' || !(mapPath(moved, file) !== file || isNear(repository.read(file)))) continue;
    if (kind === 'code') addEdits(edits, file, editCode(repository, moved, file));
    else if (kind === 'page') addEdits(edits, file, editPage(repository, moved, file));
    else if (kind === 'history') addEdits(edits, file, editLinks(repository, moved, file));
    else addEdits(edits, file, editPaths(repository, moved, repository.read(file), placeOf(moved, file)));
  }
  return { edits, mutants: editMutants(repository, edits) };
}

function editCode(repository: Repository, moved: MovedPaths, file: string) {
  const text = repository.read(file);
  return partsOfSource(file, text).flatMap(({ start, end, kind, isAnchored }) => {
    const place = { ...placeOf(moved, file), isAnchored, isProse: kind === 'comment' };
    const found = editPaths(repository, moved, text.slice(start, end), place);
    return found.map((edit) => ({ ...edit, start: start + edit.start, end: start + edit.end }));
  });
}

const placeOf = (moved: MovedPaths, file: string): TextPlace => ({
  from: file,
  to: mapPath(moved, file),
  isAnchored: false,
  isProse: true,
});

/** Whether a text has the last part of a moved path: others need no parser. */
function mentionsAny({ files, folders }: MovedPaths): (text: string) => boolean {
  const names = new Set([...files.keys(), ...folders.keys()].map((path) => path.split('/').at(-1) ?? ''));
  const pattern = new RegExp([...names].map((name) => escapePattern(name)).join('|'));
  return (text) => pattern.test(text);
}
