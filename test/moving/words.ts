// Names of code in comments, titles of tests, texts and pages.

import { addEdits, applyEdits, type Edit, type FileEdits, lineAt } from './edits.ts';
import { findMutants, type Words } from './mutantTexts.ts';
import { classifyFile, type Repository } from './repository.ts';
import { partsOfSource } from './sourceParts.ts';

const WORD = /(?<![\w$./-])[A-Za-z_$][\w$]*(?![\w$-])/g;

/** The new names that hold for each whole file, and those that hold everywhere. */
export interface RenamedWords {
  files: ReadonlyMap<string, Words>;
  /** Old names that nothing else has. */
  everywhere: Words;
}

/**
 * Adds the edits of names outside of code, and returns the places of names that are left.
 * Comments and titles of a file follow the file; what is elsewhere follows names that nothing else has. A
 * name without a capital inside is a word of English, unless it stands in backticks or in a `@link`.
 */
export function editWords(
  repository: Repository,
  edits: FileEdits,
  { files, everywhere }: RenamedWords,
  olds: ReadonlySet<string>,
  known: ReadonlySet<string>,
): string[] {
  const isNear = (text: string) => text.match(WORD)?.some((word) => olds.has(word)) ?? false;
  const left: { file: string; position: number }[] = [];
  const titles: { file: string; old: string; new: string }[] = [];
  for (const file of repository.files) {
    const kind = classifyFile(file);
    if (kind === 'recorded' || kind === 'history' || !isNear(repository.read(file))) continue;
    const text = repository.read(file);
    if (kind !== 'code') {
      const found = findWords(text, kind === 'page' ? everywhere : new Map(), olds, 'any');
      addEdits(edits, file, found.edits);
      left.push(...found.left.map((position) => ({ file, position })));
      continue;
    }
    if (!known.has(file)) {
      const places = [...text.matchAll(WORD)].filter(({ 0: word }) => olds.has(word));
      left.push(...places.map(({ index }) => ({ file, position: index })));
      continue;
    }
    const mutants = findMutants(file, text).flatMap((mutant) => [mutant.text, mutant.by]);
    const words = new Map([...everywhere, ...(files.get(file) ?? [])]);
    for (const { start, end, kind: part } of partsOfSource(file, text)) {
      const written = text.slice(start, end);
      if (part === 'specifier' || mutants.some((one) => start >= one.start && end <= one.end)) continue;
      const isText = part === 'string';
      const found = findWords(written, isText ? everywhere : words, olds, isText ? 'inside' : 'any');
      addEdits(
        edits,
        file,
        found.edits.map((edit) => shift(edit, start)),
      );
      // A text of one word is a value far more often than a name.
      if (!isText || /\s/.test(written))
        left.push(...found.left.map((position) => ({ file, position: start + position })));
      if (part === 'title' && found.edits.length > 0)
        titles.push({ file, old: written, new: applyEdits(written, found.edits) });
    }
  }
  editTitles(repository, edits, titles);
  const isEdited = ({ file, position }: (typeof left)[number]) =>
    edits.get(file)?.some(({ start, end }) => start <= position && position < end);
  return left
    .filter((one) => !isEdited(one))
    .map(({ file, position }) => describe(file, repository.read(file), position));
}

/** Rows of pages name tests by path and title: the title follows the test. */
function editTitles(
  repository: Repository,
  edits: FileEdits,
  titles: readonly { file: string; old: string; new: string }[],
): void {
  const pages =
    titles.length === 0 ? [] : [...repository.files].filter((file) => classifyFile(file) === 'page');
  for (const page of pages) {
    const text = repository.read(page);
    for (const title of titles) {
      const [old, to] = [title.old, title.new].map((one) =>
        one.replaceAll('|', '&#124;').replaceAll(/\\(['`"])/g, '$1'),
      );
      for (const { index, 0: found } of text.matchAll(/\]\((?:\.\.\/)*([^)\s]+)\) [^|<\n]*/g)) {
        const start = index + found.indexOf(') ') + 2;
        if (!found.includes(`${title.file}) `) || text.slice(start, index + found.length).trimEnd() !== old)
          continue;
        const end = start + old.length;
        const rest = (edits.get(page) ?? []).filter((edit) => edit.end <= start || edit.start >= end);
        edits.set(page, [...rest, { start, end, text: to ?? '' }]);
      }
    }
  }
}

function findWords(text: string, words: Words, olds: ReadonlySet<string>, where: 'any' | 'inside') {
  const edits: Edit[] = [];
  const left: number[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!olds.has(word)) continue;
    const isMarked =
      /`[^`\n]*$|@link $/.test(text.slice(Math.max(0, index - 80), index)) && !isAfterCode(text, index);
    if (!/[a-z0-9][A-Z]/.test(word) && !isMarked) continue;
    const to = words.get(word);
    const isWhole = word.length === text.length;
    if (to === undefined || (where === 'inside' && isWhole)) left.push(index);
    else edits.push({ start: index, end: index + word.length, text: to });
  }
  return { edits, left };
}

/** Whether the backticks before a position on its line are all closed. */
function isAfterCode(text: string, index: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', index - 1) + 1, index);
  return (line.split('`').length - 1) % 2 === 0 && !line.endsWith('@link ');
}

const shift = (edit: Edit, by: number): Edit => ({ ...edit, start: edit.start + by, end: edit.end + by });

const describe = (file: string, text: string, position: number): string =>
  `${file}:${lineAt(text, position)} ${text
    .slice(text.lastIndexOf('\n', position - 1) + 1)
    .split('\n')[0]
    ?.trim()
    .slice(0, 110)}`;
