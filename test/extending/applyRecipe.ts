// Applies the recipes of docs/extending.md to a copy of the repository: its files, then its diffs.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const EXAMPLES = 'docs/extending';

/** A recipe: the section of one heading. */
export interface Recipe {
  title: string;
  /** Files to copy, from a path below `docs/` to a path of the repository. */
  copies: { from: string; to: string }[];
  /** Edits of existing files, in their order. */
  edits: Edit[];
}

/** Lines to find and the lines that replace them. */
interface Edit {
  file: string;
  before: string[];
  after: string[];
}

/** The recipes of the document: every section with a step. */
export function readRecipes(document: string): Recipe[] {
  return document
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.split('\n', 1)[0] ?? '',
      copies: [...section.matchAll(/\]\((extending\/[^)]+)\) to `([^`]+)`/g)].map(
        ([, from = '', to = '']) => ({
          from,
          to,
        }),
      ),
      edits: [...section.matchAll(/^ *```diff\n([\s\S]*?)^ *```$/gm)].flatMap(([, diff = '']) =>
        editsOf(diff),
      ),
    }));
}

/** The edits of a diff: `--- FILE` starts a file, `@@` separates the edits of one file. */
function editsOf(diff: string): Edit[] {
  const indent = /^ */.exec(diff)?.[0].length ?? 0;
  const edits: Edit[] = [];
  for (const line of diff
    .trimEnd()
    .split('\n')
    .map((text) => text.slice(indent))) {
    const [, file = edits.at(-1)?.file ?? ''] = /^--- (.+)$/.exec(line) ?? [];
    if (line.startsWith('--- ') || line === '@@') edits.push({ file, before: [], after: [] });
    else {
      if (!line.startsWith('+')) edits.at(-1)?.before.push(line.slice(1));
      if (!line.startsWith('-')) edits.at(-1)?.after.push(line.slice(1));
    }
  }
  return edits;
}

/**
 * Applies a recipe to the copy of the repository in `root`.
 * @throws Error that names the file and the lines, if they do not occur in it exactly once.
 */
export function applyRecipe({ copies, edits }: Recipe, root: string): void {
  for (const { from, to } of copies) copyExample(from, to, root);
  let version = Number.NaN;
  const filled = (text: string) =>
    text.replace(/\bN\b(\+1)?/g, (_, next) => String(next === undefined ? version : version + 1));
  for (const { file, before, after } of edits) {
    const path = join(root, file);
    const text = readFileSync(path, 'utf8');
    const pattern = before.map(escaped).join('\n').replace(/\bN\b/g, '(\\d+)');
    const found = [...text.matchAll(new RegExp(`^${pattern}$`, 'gm'))];
    if (found.length !== 1) {
      throw new Error(`${file} has these lines ${found.length} times instead of once:\n${before.join('\n')}`);
    }
    version = Number(found[0]?.[1] ?? version);
    writeFileSync(
      path,
      text.replace(found[0]?.[0] ?? '', () => filled(after.join('\n'))),
    );
  }
}

/** Copies an example; its relative imports keep their targets. */
function copyExample(from: string, to: string, root: string): void {
  const target = join(root, to);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(root, 'docs', from), target);
  if (!to.endsWith('.ts')) return;
  const moved = readFileSync(target, 'utf8').replace(/(?<=from ')\.[^']+/g, (specifier) => {
    const path = relative(dirname(to), resolve('/', EXAMPLES, specifier).slice(1));
    return path.startsWith('.') ? path : `./${path}`;
  });
  writeFileSync(target, moved);
}

const escaped = (line: string): string => line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
