// The tracked files of a repository, and how the tools that move and rename treat each of them.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/**
 * `code`: TypeScript and JavaScript. `page`: documentation. `settings`: paths are rewritten, names are not.
 * `history`: only links are rewritten. `recorded`: never changed, and not searched for mentions.
 */
export type FileKind = 'code' | 'page' | 'settings' | 'history' | 'recorded';

/** A repository as it is before a change. All paths are below its root, with forward slashes. */
export interface Repository {
  root: string;
  files: ReadonlySet<string>;
  /** All folders with a tracked file; the root is the empty string. */
  folders: ReadonlySet<string>;
  /** The text of a tracked file. It is read once. */
  read(file: string): string;
}

const HISTORY = /^CHANGELOG\.md$|^docs\/decisions\//;
const CODE = /\.(ts|tsx|js)$/;
const SETTINGS = /\.(tf|html|sh|ya?ml|css)$|^\.ci\/|^[^/]+\.json$|(^|\/)(tsconfig|sizes)\.json$/;
const RECORDED =
  /package-lock\.json$|\/(shapes|releases)\.yaml$|\/(golden|recorded|recordings|evaluated|samples|payloads)\/|^LICENSE$/;

/** Lists the tracked files. @throws Error of git when the folder is not in a repository. */
export function openRepository(root: string): Repository {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
  const files = new Set(listed.split('\0').filter((file) => file !== ''));
  const folders = new Set(['']);
  for (const file of files) for (const folder of foldersAbove(file)) folders.add(folder);
  const texts = new Map<string, string>();
  const read = (file: string): string => {
    const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
    texts.set(file, text);
    return text;
  };
  return { root, files, folders, read };
}

/** The folders above a path, the closest first, without the root. */
export function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [folder, ...foldersAbove(folder)];
}

/** How a file is treated. Files that no rule names count as recorded. */
export function classifyFile(file: string): FileKind {
  if (HISTORY.test(file)) return 'history';
  if (CODE.test(file)) return 'code';
  if (RECORDED.test(file)) return 'recorded';
  if (file.endsWith('.md')) return 'page';
  return SETTINGS.test(file) ? 'settings' : 'recorded';
}
