// Secrets inside base64: a run that decodes to text with a secret in it is one itself.

import { createScan, type Finder, type Scan } from '../scan.ts';

/**
 * Base64 of text: each fourth character stands for the six higher bits of a byte that is a blank, a letter or a sign.
 * `password=x` takes 16 characters. What follows the first 16 may be anything.
 */
const RUN = /(?<![A-Za-z0-9+/_-])(?:[CDI-Za-f][A-Za-z0-9+/_-]{3}){4}[A-Za-z0-9+/_-]*={0,2}/g;
/** Base64 in lines of 64 or 76 characters. */
const WRAPPED =
  /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,76}\r?\n[ \t]{0,20}){1,10000}[A-Za-z0-9+/]{1,76}={0,2}/g;
const HEAD = 32;

/** A finder of base64 in which one of `finders` finds something. It does not look into base64 within base64. */
export function findEncoded(finders: readonly Finder[]): Finder {
  return (scan) => {
    findRuns(scan, RUN, finders);
    if (scan.text.includes('\n')) findRuns(scan, WRAPPED, finders);
  };
}

function findRuns(scan: Scan, pattern: RegExp, finders: readonly Finder[]): void {
  pattern.lastIndex = 0;
  for (let run = pattern.exec(scan.text); run !== null; run = pattern.exec(scan.text)) {
    const kind = kindOfSecretIn(scan, run[0], finders);
    if (kind !== undefined) scan.found(run.index, run.index + run[0].length, kind);
  }
}

function kindOfSecretIn(scan: Scan, run: string, finders: readonly Finder[]): string | undefined {
  // Words and paths decode to other bytes than text in their first few characters.
  if (!isText(decode(run.slice(0, HEAD)), 3)) return undefined;
  const text = decode(run);
  scan.spend(run.length);
  if (!isText(text, 0)) return undefined;
  const inner = createScan(text);
  for (const finder of finders) finder(inner);
  return inner.findings[0]?.kind;
}

const decode = (run: string): string =>
  Buffer.from(run.replace(/[\r\n\t ]+/g, ''), 'base64').toString('utf8');

/** Whether all but `tail` characters at the end are those of text. */
function isText(decoded: string, tail: number): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffd]/.test(
    decoded.slice(0, decoded.length - tail),
  );
}
