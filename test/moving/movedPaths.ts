// Where files and folders are after a move, and the paths of a text that lead to them.

import { dirname, join, normalize, relative } from 'node:path/posix';
import type { Edit } from './edits.ts';
import { foldersAbove, type Repository } from './repository.ts';

/** The new path of each moved file and folder, by the old one. */
export interface MovedPaths {
  files: ReadonlyMap<string, string>;
  folders: ReadonlyMap<string, string>;
}

/** Where a text stands. */
export interface TextPlace {
  /** The file whose folder relative paths start at, before and after the move. */
  from: string;
  to: string;
  /** Whether a path without `./` also starts at the file's folder: links, `import.meta.url`. */
  isAnchored: boolean;
  /** Whether a path can be rewritten from the root: not in strings that a program joins. */
  isProse: boolean;
  /** A second folder for relative paths, for code that a page quotes. */
  quoted?: string;
}

/** Where paths without `./` start: names of the documentation, of mutants and of tables in tests. */
const BASES = ['', 'shared', 'web', 'web/src', 'test', 'docs', 'deploy'];
const PATH = /[\w@.\-/]+/g;
const FILE_NAME = /^[\w.-]+\.(tsx?|js|md|json|ya?ml|tf|css|sh|html)$/;

/** The new path of a file or folder. A path that does not exist moves with the closest folder above it. */
export function mapPath(moved: MovedPaths, path: string): string {
  const known = moved.files.get(path) ?? moved.folders.get(path);
  if (known !== undefined) return known;
  const above = foldersAbove(path).find((folder) => moved.folders.has(folder));
  return above === undefined ? path : `${moved.folders.get(above)}${path.slice(above.length)}`;
}

/** The edits after which a text's paths lead to the same files. Positions are the text's. */
export function editPaths(repository: Repository, moved: MovedPaths, text: string, place: TextPlace): Edit[] {
  return [...text.matchAll(PATH)].flatMap(({ 0: found, index }) => {
    if (found.includes('//') || text.slice(0, index).endsWith('://')) return [];
    const isRooted = found.startsWith('/');
    const token = found.slice(isRooted ? 1 : 0).replace(/(?<=[\w])\.+$/, '');
    const isLink = place.isAnchored || text.slice(0, index).endsWith('](');
    const changed = changePath(repository, moved, token, { ...place, isAnchored: isLink && !isRooted });
    if (changed === undefined || changed === token || (isRooted && !/\.\w+$/.test(token))) return [];
    const start = index + (isRooted ? 1 : 0);
    return [{ start, end: start + token.length, text: changed }];
  });
}

/** A path as it has to be written after the move, or `undefined` when it names no known file or folder. */
function changePath(
  repository: Repository,
  moved: MovedPaths,
  token: string,
  place: TextPlace,
): string | undefined {
  const end = /\/$/.exec(token)?.[0] ?? '';
  const path = token.slice(0, token.length - end.length);
  if (/^\.{1,2}(\/|$)/.test(path)) return withEnd(changeRelative(repository, moved, path, place, end), end);
  if (place.isAnchored) {
    const changed = changeRelative(repository, moved, path, place, end);
    if (changed !== undefined) return withEnd(changed.replace(/^\.\//, ''), end);
  }
  if (!path.includes('/'))
    return FILE_NAME.test(path) ? changeName(repository, moved, path, place) : undefined;
  return withEnd(changeBased(repository, moved, path, place), end);
}

const withEnd = (path: string | undefined, end: string): string | undefined =>
  path === undefined ? undefined : `${path}${end}`;

/** `./errors.ts`, `../../config`. */
function changeRelative(
  repository: Repository,
  moved: MovedPaths,
  path: string,
  place: TextPlace,
  end: string,
): string | undefined {
  const isUpOnly = /^[./]+$/.test(path);
  if (isUpOnly && end === '' && !place.isAnchored) return undefined;
  const folders = [
    [dirname(place.from), dirname(place.to)],
    ...(place.quoted === undefined ? [] : [[place.quoted, mapPath(moved, place.quoted)]]),
  ];
  for (const [from = '', to = ''] of folders) {
    const target = normalize(join(from, path)).replace(/^\.$/, '');
    const parent = dirname(target).replace(/^\.$/, '');
    const isKnown =
      exists(repository, target) ||
      (repository.folders.has(parent) && FILE_NAME.test(path.split('/').at(-1) ?? ''));
    if (!isKnown || target.startsWith('..')) continue;
    const changed = relative(to, mapPath(moved, target));
    if (changed === relative(from, target)) return path;
    if (changed === '') return '.';
    return changed.startsWith('.') ? changed : `./${changed}`;
  }
  return undefined;
}

/** `shared/core/errors.ts`, `core/stage/startStage.ts`. */
function changeBased(
  repository: Repository,
  moved: MovedPaths,
  path: string,
  place: TextPlace,
): string | undefined {
  for (const base of [...BASES, dirname(place.from)]) {
    const target = join(base, path);
    if (!exists(repository, target)) continue;
    const changed = mapPath(moved, target);
    if (changed === target) return path;
    if (base === '' || base === '.') return changed;
    if (changed.startsWith(`${base}/`)) return changed.slice(base.length + 1);
    return place.isProse ? changed : undefined;
  }
  const unknown = mapPath(moved, path);
  return unknown === path ? undefined : unknown;
}

/** `errors.ts`: the file of this name in the same folder, or the only one. */
function changeName(
  repository: Repository,
  moved: MovedPaths,
  name: string,
  place: TextPlace,
): string | undefined {
  const beside = join(dirname(place.from), name);
  const named = [...moved.files.keys()].filter((file) => file === name || file.endsWith(`/${name}`));
  if (named.length === 0) return undefined;
  const all = [...repository.files].filter((file) => file === name || file.endsWith(`/${name}`));
  const target = repository.files.has(beside) ? beside : all.length === 1 ? all[0] : undefined;
  if (target === undefined) return undefined;
  return mapPath(moved, target).split('/').at(-1);
}

const exists = ({ files, folders }: Repository, path: string): boolean =>
  files.has(path) || folders.has(path);
