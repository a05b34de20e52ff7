// Old paths that are still named after a move, for a person to look at.

import { basename, matchesGlob } from 'node:path/posix';
import { escapePattern, lineAt } from './edits.ts';
import type { MovedPaths } from './movedPaths.ts';
import { classifyFile, type Repository } from './repository.ts';

const GLOB = /[\w@.\-/*{},!?()|]*[*{][\w@.\-/*{},!?()|]*/g;

/**
 * The places that name an old path, or a file's old name where that is gone, and the globs that no longer
 * match a file. Pages that are history are left out.
 */
export function findMentions(after: Repository, { files, folders }: MovedPaths): string[] {
  const names = new Set([...after.files].map((file) => basename(file)));
  const paths = [...files.keys(), ...folders.keys()]
    .filter((path) => !after.files.has(path) && !after.folders.has(path))
    .flatMap((path) => [path, path.replace(/^shared\//, '')])
    .filter((path) => path.includes('/'));
  const gone = [...files.keys()].map((file) => basename(file)).filter((name) => !names.has(name));
  const patterns = [...new Set([...paths, ...gone])].map(escapePattern);
  if (patterns.length === 0) return [];
  const old = new RegExp(`(?<![\\w.-])(?:${patterns.join('|')})(?![\\w-])`, 'g');
  const found: string[] = [];
  for (const file of after.files) {
    const kind = classifyFile(file);
    if (kind === 'recorded' || kind === 'history') continue;
    const text = after.read(file);
    for (const { 0: mention, index } of text.matchAll(old))
      found.push(`${file}:${lineAt(text, index)} names ${mention}`);
    if (kind !== 'page') found.push(...lostGlobs(file, text, files));
  }
  return found;
}

function lostGlobs(file: string, text: string, files: MovedPaths['files']): string[] {
  return [...text.matchAll(GLOB)].flatMap(({ 0: written, index }) => {
    const glob = written.replace(/^!+|!+$/g, '');
    if (!/\w\/|\.\w/.test(glob) || glob.startsWith('**/')) return [];
    const lost = [...files].find(([from, to]) => matchesGlob(from, glob) && !matchesGlob(to, glob));
    return lost === undefined ? [] : [`${file}:${lineAt(text, index)} ${glob} no longer matches ${lost[1]}`];
  });
}
