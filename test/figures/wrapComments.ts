// Comments of at most 110 characters a line: finds longer lines, and wraps them. `npm run figures -- --wrap`.

import { type Comment, parseSync } from 'oxc-parser';

/** The most characters of a line with a comment, its indentation included. */
export const MAX_COMMENT = 110;

/** Lines that tools read, or that have a layout of their own. */
const FIXED = /^(?:biome-ignore|@ts-|#|\/|```|\|)/;
/** Lines that start a part of a comment: an item of a list, a tag, a blank line, an indented example. */
const STARTS = /^(?:[-*•] |\d+[.)] |@\w|\s{2,}|$)/;

/** The 0-based numbers of the lines with a comment that is longer and could be wrapped. */
export function longComments(file: string, text: string): number[] {
  const lines = text.split('\n');
  const { comments } = parseSync(file, text);
  const long = commentLines(text, comments).filter(({ line, prefix }) => isLong(lines[line] ?? '', prefix));
  return [...long, ...longForms(text, comments)].map(({ line }) => line);
}

/** The source with wrapped comments. Code is not changed. */
export function wrapComments(file: string, source: string): string {
  const text = splitForms(source, longForms(source, parseSync(file, source).comments));
  const lines = text.split('\n');
  const prefixes = new Map(
    commentLines(text, parseSync(file, text).comments).map(({ line, prefix }) => [line, prefix]),
  );
  const wrapped: string[] = [];
  /** What the line before has left over, and its continuation. */
  let rest = '';
  for (const [index, line] of lines.entries()) {
    const prefix = prefixes.get(index);
    const before = prefixes.get(index - 1);
    const own = prefix === undefined ? line : line.slice(prefix.length);
    const isSame = prefix !== undefined && prefix === before && continues(own, rest);
    if (rest !== '' && !isSame) {
      wrapped.push(...cutLine(before ?? '', rest, Number.POSITIVE_INFINITY).done);
      rest = '';
    }
    if (prefix === undefined || (rest === '' && !isLong(line, prefix))) {
      wrapped.push(line);
      continue;
    }
    const joined = rest === '' ? own : `${rest} ${own.trimStart()}`;
    const { done, left } = cutLine(prefix, joined, 1);
    wrapped.push(...done);
    rest = left;
  }
  return wrapped.join('\n');
}

/** Whether a line goes on with the text that the line before has left over. */
function continues(own: string, rest: string): boolean {
  const hang = rest.length - rest.trimStart().length;
  return own.startsWith(rest.slice(0, hang)) && !STARTS.test(own.slice(hang)) && !FIXED.test(own);
}

/** A line with nothing but a comment; the prefix stands before its text. */
interface CommentLine {
  line: number;
  prefix: string;
}

function commentLines(text: string, comments: readonly Comment[]): CommentLine[] {
  const starts = lineStarts(text);
  return comments.flatMap((comment) => {
    const first = lineAt(starts, comment.start);
    const head = text.slice(starts[first], comment.start);
    if (head.trim() !== '') return [];
    if (comment.type === 'Line') {
      // An indented line belongs to an example, whose layout stays.
      if (comment.value.startsWith('   ')) return [];
      const { 0: prefix } = /^\s*\/\/ ?/.exec(text.slice(starts[first])) as RegExpExecArray;
      return [{ line: first, prefix }];
    }
    const last = lineAt(starts, comment.end);
    return Array.from({ length: last - first }, (_, index) => first + index).flatMap((line) => {
      const prefix = /^\s*\* ?(?!\/)/.exec(text.slice(starts[line]))?.[0];
      return prefix === undefined ? [] : [{ line, prefix }];
    });
  });
}

/** `/** a text *\/` on a line of its own that is too long. */
interface LongForm extends CommentLine {
  comment: Comment;
}

function longForms(text: string, comments: readonly Comment[]): LongForm[] {
  const starts = lineStarts(text);
  return comments.flatMap((comment) => {
    const { type, start, end } = comment;
    const line = lineAt(starts, start);
    const prefix = text.slice(starts[line], start);
    const isForm = type === 'Block' && text.startsWith('/**', start) && prefix.trim() === '';
    const isOneLine = line === lineAt(starts, end);
    return isForm && isOneLine && prefix.length + end - start > MAX_COMMENT
      ? [{ line, prefix, comment }]
      : [];
  });
}

/** The source with three lines for each of these comments. */
const splitForms = (source: string, forms: readonly LongForm[]): string =>
  forms.reduceRight((text, { prefix, comment: { start, end, value } }) => {
    const lines = `/**\n${prefix} * ${value.slice(1).trim()}\n${prefix} */`;
    return text.slice(0, start) + lines + text.slice(end);
  }, source);

/** Cuts a text into lines; at most `most` of them, then what is left. */
function cutLine(prefix: string, text: string, most: number): { done: string[]; left: string } {
  const hang = /^(?:[-*•] |\d+[.)] )/.exec(text)?.[0].length ?? /^ */.exec(text)?.[0].length ?? 0;
  const done: string[] = [];
  let left = text;
  while (left !== '' && done.length < most) {
    const room = MAX_COMMENT - prefix.length;
    const at = left.length <= room ? left.length : left.lastIndexOf(' ', room);
    const end = at <= hang ? endOfWord(left, room) : at;
    done.push(`${prefix}${left.slice(0, end).trimEnd()}`);
    const rest = left.slice(end).trim();
    left = rest === '' ? '' : `${' '.repeat(hang)}${rest}`;
  }
  return { done, left };
}

function endOfWord(text: string, from: number): number {
  const end = text.indexOf(' ', from);
  return end < 0 ? text.length : end;
}

/** Whether a line is too long and has a place to cut it. */
function isLong(line: string, prefix: string): boolean {
  const own = line.slice(prefix.length);
  return line.length > MAX_COMMENT && !FIXED.test(own) && own.trim().includes(' ');
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

/** The line of an offset, by halving. */
function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
