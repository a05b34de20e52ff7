// Secrets inside base64: a run that decodes to text with a secret in it is one itself.

import { createScan, type Finder, type Scan } from '../scan/scan.ts';

/**
 * Base64 of text: each fourth character stands for the six higher bits of a byte that is a blank, a letter or
 * a sign. `password=x` takes 16 characters. Any characters can follow the first 16.
 */
const RUN = /(?<![A-Za-z0-9+/_-])(?:[CDI-Za-f][A-Za-z0-9+/_-]{3}){4}[A-Za-z0-9+/_-]*={0,2}/g;
/** A line that ends with base64, behind at most some signs: `> `, `"`, `# `. */
const WRAPPED_LINE = /^[ \t>|#*"'+-]{0,12}?([A-Za-z0-9+/_-]{1,200}={0,2})(["'\\ \t+,|]{0,8})\r?$/gm;
/** Of all lines but the last. */
const SHORTEST_LINE = 8;
const HEAD = 32;

/** A finder of base64 in which one of `finders` finds something. It does not look into nested base64. */
export function findBase64Secrets(finders: readonly Finder[]): Finder {
  return (scan) => {
    findRuns(scan, RUN, finders);
    if (scan.text.includes('\n')) findWrapped(scan, finders);
  };
}

function findRuns(scan: Scan, pattern: RegExp, finders: readonly Finder[]): void {
  pattern.lastIndex = 0;
  for (let run = pattern.exec(scan.text); run !== null; run = pattern.exec(scan.text)) {
    const kind = kindOfSecretIn(scan, run[0], finders);
    if (typeof kind === 'string') scan.found(run.index, run.index + run[0].length, kind);
  }
}

interface WrappedLine {
  /** UTF-16 offset of the first character. */
  start: number;
  /** UTF-16 offset after the last character. */
  end: number;
}

/** Finds base64 in lines of equal length, of which the last can be shorter. */
function findWrapped(scan: Scan, finders: readonly Finder[]): void {
  const { text } = scan;
  let lines: WrappedLine[] = [];
  let lineEnd = -1;
  const finish = (): void => {
    // A word that is no part of it can follow.
    if (lines.length > 1 && !readWrapped(scan, lines, finders))
      readWrapped(scan, lines.slice(0, -1), finders);
    lines = [];
  };
  WRAPPED_LINE.lastIndex = 0;
  for (let hit = WRAPPED_LINE.exec(text); hit !== null; hit = WRAPPED_LINE.exec(text)) {
    const [whole, run = '', behind = ''] = hit;
    const end = hit.index + whole.trimEnd().length - behind.trimEnd().length;
    const line = { start: end - run.length, end };
    const length = lines[0] === undefined ? 0 : lines[0].end - lines[0].start;
    const isNext = hit.index === lineEnd + 1 && run.length <= length;
    const isShorter = isNext && run.length < length;
    // The line before can be a word, and this one the first.
    const isFirst = !isNext || (isShorter && lines.length === 1);
    if (isNext) lines.push(line);
    if (!isNext || isShorter) finish();
    if (isFirst && run.length >= SHORTEST_LINE) lines.push(line);
    lineEnd = hit.index + whole.length;
  }
  finish();
}

/** Reports lines whose base64 holds a secret; false if they are no base64 of a text. */
function readWrapped(scan: Scan, lines: readonly WrappedLine[], finders: readonly Finder[]): boolean {
  const { text } = scan;
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined || first === last) return false;
  scan.spend(lines.length);
  const run = lines.map(({ start, end }) => text.slice(start, end)).join('');
  const kind = kindOfSecretIn(scan, run, finders);
  if (typeof kind !== 'string') return kind === null;
  const isPlain = /^[A-Za-z0-9+/_=\s-]+$/.test(text.slice(first.start, last.end));
  // Prefixes of the lines stay.
  for (const { start, end } of isPlain ? [{ start: first.start, end: last.end }] : lines)
    scan.found(start, end, kind);
  return true;
}

/** The kind of the first secret in the decoded text of a run; null without, undefined if not text. */
function kindOfSecretIn(scan: Scan, run: string, finders: readonly Finder[]): string | null | undefined {
  // Words and paths decode to other bytes than text in their first few characters.
  if (!isReadableText(decode(run.slice(0, HEAD)), 3)) return undefined;
  const text = decode(run);
  scan.spend(run.length);
  if (!isReadableText(text, 0)) return undefined;
  const inner = createScan(text);
  for (const finder of finders) finder(inner);
  return inner.findings[0]?.kind ?? null;
}

const decode = (run: string): string =>
  Buffer.from(run.replace(/[\r\n\t ]+/g, ''), 'base64').toString('utf8');

/** Whether all but `tail` characters at the end are those of text. */
function isReadableText(decoded: string, tail: number): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
  return !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffd]/.test(
    decoded.slice(0, decoded.length - tail),
  );
}
