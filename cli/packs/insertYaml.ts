// Inserts text into YAML files of a user. Everything else in the file stays as it is, byte for byte.

import { isCollection, isScalar, parseDocument } from 'yaml';
import { UsageError } from '../process/usageError.ts';

/**
 * The text with `lines` added as the last entry of the mapping or list at `path`. A missing mapping of the
 * top level is added.
 * @param lines without the indentation of the entry, which is taken from the existing entries.
 * @throws UsageError when the file cannot be parsed, or the collection is missing, empty or on one line.
 */
export function insertYaml(file: string, text: string, path: readonly string[], lines: string): string {
  const document = parseDocument(text);
  const name = path.join('.');
  const [fault] = document.errors;
  if (fault !== undefined) throw new UsageError(`${file} cannot be changed: ${fault.message}`);
  const node = document.getIn(path, true);
  if (path.length === 1 && (node === undefined || (isScalar(node) && node.value === null))) {
    const entry = `${indentLines(lines, 2)}\n`;
    const key = new RegExp(`^${path[0]}:[^\\S\\n]*\\n?`, 'm');
    if (key.test(text)) return text.replace(key, () => `${path[0]}:\n${entry}`);
    return `${withLineEnd(text)}${path[0]}:\n${entry}`;
  }
  if (!isCollection(node) || node.range == null || node.flow || node.items.length === 0)
    throw new UsageError(
      `${file} cannot be changed: ${name} must be written with one entry a line; add this yourself:\n${lines}`,
    );
  const [start, end] = node.range;
  const column = start - (text.lastIndexOf('\n', start - 1) + 1);
  const before = withLineEnd(text.slice(0, lineEnd(text, end)));
  return `${before}${indentLines(lines, column)}\n${text.slice(before.length)}`;
}

/** The end of the last line of a collection that ends at `end`, which can be on the next line. */
function lineEnd(text: string, end: number): number {
  if (text[end - 1] === '\n') return end;
  const next = text.indexOf('\n', end);
  return next === -1 ? text.length : next + 1;
}

/** Lines with a margin; empty lines stay empty. */
export function indentLines(lines: string, columns: number): string {
  return lines.replace(/^(?=.)/gm, ' '.repeat(columns));
}

const withLineEnd = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
