// The mutants of tests: each names a file below `shared/`, a text that stands in it once, and another text.

import { type ObjectExpression, parseSync, Visitor } from 'oxc-parser';
import {
  addEdits,
  applyEdits,
  type Edit,
  escapePattern,
  type FileEdits,
  lineAt,
  sortEdits,
} from './edits.ts';
import { classifyFile, type Repository } from './repository.ts';

/** A text of a mutant, and where it is written. */
interface Written {
  start: number;
  end: number;
  value: string;
  isTemplate: boolean;
}

/** A mutant. */
export interface MutantText {
  /** The file that lists it. */
  list: string;
  /** The file that it changes, below the root. */
  file: string;
  text: Written;
  by: Written;
}

/** New names by old ones. */
export type Words = ReadonlyMap<string, string>;

/** All mutants of a file. Objects count that have `file`, `text` and `by` as strings. */
export function findMutants(list: string, source: string): MutantText[] {
  if (!/\bby: /.test(source)) return [];
  const mutants: MutantText[] = [];
  new Visitor({
    ObjectExpression: (node) => {
      const [file, text, by] = ['file', 'text', 'by'].map((name) => stringProperty(node, name));
      if (file && text && by) mutants.push({ list, file: `shared/${file.value}`, text, by });
    },
  }).visit(parseSync(list, source).program);
  return mutants;
}

function stringProperty(node: ObjectExpression, name: string): Written | undefined {
  for (const property of node.properties) {
    if (property.type !== 'Property' || property.key.type !== 'Identifier' || property.key.name !== name)
      continue;
    const { value } = property;
    if (value.type === 'Literal' && typeof value.value === 'string')
      return { start: value.start, end: value.end, value: value.value, isTemplate: false };
    const [quasi, other] = value.type === 'TemplateLiteral' ? value.quasis : [];
    if (quasi !== undefined && other === undefined)
      return { start: value.start, end: value.end, value: quasi.value.cooked ?? '', isTemplate: true };
  }
  return undefined;
}

/**
 * Adds to the edits those of mutants whose text stands at an edited place, and returns all mutants of edited
 * files. Other edits inside of their texts are dropped.
 * @param words for each file the names that are new wherever they stand in it.
 */
export function editMutants(
  repository: Repository,
  edits: FileEdits,
  words: ReadonlyMap<string, Words> = new Map(),
): MutantText[] {
  const lists = [...repository.files].filter(
    (file) => file.startsWith('test/') && classifyFile(file) === 'code',
  );
  const found = lists.flatMap((file) => findMutants(file, repository.read(file)));
  for (const list of new Set(found.map((mutant) => mutant.list))) {
    const texts = found.filter((mutant) => mutant.list === list).flatMap(({ text, by }) => [text, by]);
    const isInside = (edit: Edit) => texts.some(({ start, end }) => edit.start >= start && edit.end <= end);
    const kept = edits.get(list)?.filter((edit) => !isInside(edit));
    if (kept !== undefined) edits.set(list, kept);
  }
  const mutants = found.filter(({ file }) => edits.has(file));
  for (const mutant of mutants) {
    const changes = changeMutant(repository.read(mutant.file), edits.get(mutant.file) ?? [], mutant, words);
    addEdits(edits, mutant.list, changes);
  }
  return mutants;
}

function changeMutant(
  source: string,
  edits: readonly Edit[],
  { file, text, by }: MutantText,
  words: ReadonlyMap<string, Words>,
): Edit[] {
  const start = source.indexOf(text.value);
  if (start === -1) return [];
  const end = start + text.value.length;
  const inside = sortEdits(edits).filter((edit) => edit.start < end && edit.end > start);
  // A text that starts or ends within a name: its part of the name is replaced by all of the new one.
  const cut = inside.map((edit) => ({
    start: Math.max(edit.start, start) - start,
    end: Math.min(edit.end, end) - start,
    text: edit.text,
  }));
  const replaced = new Map(words.get(file));
  for (const edit of inside) {
    const old = source.slice(edit.start, edit.end);
    if (!edit.text.startsWith(`${old}:`)) replaced.set(old, edit.text.replace(/: \w+$/, ''));
  }
  return [
    ...writeText(text, applyEdits(text.value, cut)),
    ...writeText(by, replaceWords(by.value, replaced)),
  ];
}

/** A text with new names. A name that follows a dot is another's, unless it stands behind one in the list. */
function replaceWords(text: string, words: Words): string {
  return text.replaceAll(/(?<![\w$.])[\w$./@-]+(?![\w$])/g, (found) => {
    if (words.has(found)) return words.get(found) ?? found;
    return found.replace(/^[\w$]+/, (word) => words.get(word) ?? word);
  });
}

/** The edit that writes another value, in the quotes that it had. */
function writeText(written: Written, value: string): Edit[] {
  if (value === written.value) return [];
  const escaped = value.replaceAll('\\', '\\\\');
  const text = written.isTemplate
    ? `\`${escaped.replaceAll('`', '\\`').replaceAll('${', '\\${')}\``
    : `'${escaped.replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
  return [{ start: written.start, end: written.end, text }];
}

/**
 * The edits that make texts of mutants match a formatted file again, and the places of those that do not.
 * @param read the text of a file after the change.
 */
export function refitMutants(lists: readonly string[], read: (file: string) => string) {
  const edits: FileEdits = new Map();
  const unmatched: string[] = [];
  for (const list of lists) {
    for (const { file, text } of findMutants(list, read(list))) {
      const source = read(file);
      if (source.split(text.value).length === 2) continue;
      const [match, other] = [...source.matchAll(looseText(text.value))];
      if (match !== undefined && other === undefined) addEdits(edits, list, writeText(text, match[0]));
      else
        unmatched.push(
          `${list}:${lineAt(read(list), text.start)} the text of a mutant is not once in ${file}`,
        );
    }
  }
  return { edits, unmatched };
}

/** Matches a text whatever its white space and its commas before closing brackets are. */
function looseText(text: string): RegExp {
  const tokens = text.match(/[\w$]+|[^\s\w$]/g) ?? [];
  const isClosing = (token: string) => /[)\]}]/.test(token);
  const patterns = tokens
    .filter((token, index) => token !== ',' || !isClosing(tokens[index + 1] ?? ''))
    .map((token) => (isClosing(token) ? `(?:,\\s*)?${escapePattern(token)}` : escapePattern(token)));
  return new RegExp(patterns.join('\\s*'), 'g');
}
