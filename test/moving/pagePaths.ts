// The paths of a documentation page. A diff's lines have the folder of its file.

import { basename, dirname } from 'node:path/posix';
import type { Edit } from './edits.ts';
import { editPaths, type MovedPaths, mapPath, type TextPlace } from './movedPaths.ts';
import type { Repository } from './repository.ts';

const DIFF_FILE = /^\s*--- (\S+\.\w+)$/;

/** The edits of a page, line by line. */
export function editPage(repository: Repository, moved: MovedPaths, page: string): Edit[] {
  const own = { from: page, to: mapPath(moved, page), isAnchored: false, isProse: true };
  const edits: Edit[] = [];
  let start = 0;
  let fence: TextPlace | undefined;
  for (const line of repository.read(page).split('\n')) {
    if (/^\s*```/.test(line))
      fence = fence === undefined ? { ...own, ...quotedFolder(repository, page) } : undefined;
    const changed = DIFF_FILE.exec(line)?.[1];
    if (fence !== undefined && changed !== undefined)
      fence = { from: changed, to: mapPath(moved, changed), isAnchored: false, isProse: false };
    const isHeader = changed !== undefined;
    const found = editPaths(repository, moved, line, isHeader ? own : (fence ?? own));
    for (const edit of [...found, ...found.flatMap((path) => editLinkText(line, path))])
      edits.push({ start: start + edit.start, end: start + edit.end, text: edit.text });
    start += line.length + 1;
  }
  return edits;
}

/** The text of a link to a renamed file, where it is the name of the file without endings: rows of rules. */
function editLinkText(line: string, { start, end, text }: Edit): Edit[] {
  const stem = (path: string) => basename(path).replace(/\..*$/, '');
  const [old, to] = [stem(line.slice(start, end)), stem(text)];
  const isNamed = old !== to && line.slice(0, start).endsWith(`[${old}](`);
  return isNamed ? [{ start: start - 2 - old.length, end: start - 2, text: to }] : [];
}

/** The edits of the links of a page, for pages that are history. */
export function editLinks(repository: Repository, moved: MovedPaths, page: string): Edit[] {
  const text = repository.read(page);
  return editPage(repository, moved, page).filter(({ start }) => text.slice(0, start).endsWith(']('));
}

/** The folder beside a page that has its name: its code is quoted there. */
function quotedFolder(repository: Repository, page: string): { quoted?: string } {
  const folder = page.replace(/\.md$/, '');
  return repository.folders.has(folder) && dirname(folder) !== folder ? { quoted: folder } : {};
}
