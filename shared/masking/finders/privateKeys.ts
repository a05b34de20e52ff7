// Private keys in PEM, PuTTY and similar form, whole or cut, with real or escaped line breaks.

import { matchAt, type Scan } from '../scan/scan.ts';
import { findPrivateKeyBodies } from './privateKeyBodies.ts';
import { createKeyLineReader } from './privateKeyLines.ts';

const KIND = 'private-key';
/** `-----BEGIN RSA PRIVATE KEY-----`, `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----`. */
const FIRST_LINE = /-{4,5}[ ]?BEGIN[ A-Z0-9_-]{0,60}(?:PRIVATE|SECRET)[ A-Z0-9_-]{0,60}-{4,5}/g;
const END = /-{4,5}[ ]?END[ A-Z0-9_-]{0,60}(?:PRIVATE|SECRET)[ A-Z0-9_-]{0,60}-{4,5}/g;
/** A key of 16,384 bits takes 13 kB; escaped line breaks and indentation make it longer. */
const MAX_KEY = 32_768;
/**
 * The content of a key without its end: base64, headers, line breaks of any notation, and the quotes and
 * indentation around.
 */
const BODY =
  /(?:(?:Proc-Type|DEK-Info|Comment|Version|Subject|X-[\w-]{1,20}): ?[^\n\\]{0,100}|[A-Za-z0-9+/=]{1,200}|\\{1,8}[nrt]|[\s"',+|#*>-]{1,8}){1,2000}/y;
const PUTTY = /PuTTY-User-Key-File-\d|Private-Lines: ?\d{1,4}/g;
const PUTTY_BODY =
  /(?:(?:: ?[^\n]{0,80})?\r?\n)?(?:(?:Encryption|Comment|Public-Lines|Private-Lines|Private-MAC|Private-Hash|Key-Derivation|Argon2-\w{1,20}): ?[^\n]{0,200}\n?|[A-Za-z0-9+/=]{1,80}\r?\n?){1,600}/y;

const MAX_TAIL = 8192;

interface Range {
  /** UTF-16 offset of the first character. */
  start: number;
  /** UTF-16 offset after the last character. */
  end: number;
}

/** Finds private keys. */
export function findPrivateKeys(scan: Scan): void {
  const { text } = scan;
  if (text.includes('----')) findPem(scan);
  findPrivateKeyBodies(scan);
  if (text.includes('uTTY') || text.includes('Private-Lines')) {
    PUTTY.lastIndex = 0;
    for (let hit = PUTTY.exec(text); hit !== null; hit = PUTTY.exec(text)) {
      const start = hit.index;
      const end = start + hit[0].length + (matchAt(text, start + hit[0].length, PUTTY_BODY)?.[0].length ?? 0);
      scan.spend(end - start);
      scan.found(start, end, KIND);
      PUTTY.lastIndex = end;
    }
  }
}

function findPem(scan: Scan): void {
  const { text } = scan;
  const covered: Range[] = [];
  let nextEnd: { index: number; end: number } | undefined;
  const endAfter = (position: number) => {
    if (nextEnd !== undefined && nextEnd.index >= position) return nextEnd;
    END.lastIndex = position;
    const match = END.exec(text);
    nextEnd =
      match === null
        ? { index: Number.POSITIVE_INFINITY, end: 0 }
        : { index: match.index, end: match.index + match[0].length };
    return nextEnd;
  };
  const readLines = createKeyLineReader(scan);
  FIRST_LINE.lastIndex = 0;
  for (let hit = FIRST_LINE.exec(text); hit !== null; hit = FIRST_LINE.exec(text)) {
    const from = hit.index + hit[0].length;
    const close = endAfter(from);
    const isWhole = close.index - from <= MAX_KEY;
    const end = isWhole ? close.end : from + (matchAt(text, from, BODY)?.[0].length ?? 0);
    scan.spend(end - hit.index);
    scan.found(hit.index, trimEnd(text, from, end), KIND);
    if (!isWhole) reportLines(scan, readLines({ start: hit.index, end: from }, 1));
    covered.push({ start: hit.index, end });
    FIRST_LINE.lastIndex = end;
  }
  findTails(scan, covered);
}

/** Ends of keys whose start was cut off, with the base64 before them. */
function findTails(scan: Scan, covered: readonly Range[]): void {
  const { text } = scan;
  const readLines = createKeyLineReader(scan);
  let floor = 0;
  let next = 0;
  END.lastIndex = 0;
  for (let hit = END.exec(text); hit !== null; hit = END.exec(text)) {
    const end = hit.index + hit[0].length;
    while ((covered[next]?.end ?? text.length + 1) <= hit.index) next++;
    const isWhole = (covered[next]?.start ?? text.length) < hit.index;
    let start = hit.index;
    const limit = Math.max(floor, start - MAX_TAIL);
    while (!isWhole && start > limit && /[A-Za-z0-9+/=\s\\]/.test(text[start - 1] ?? '')) start--;
    scan.spend(end - start);
    // Less than a line of base64 is some word before it.
    const body = text.slice(start, hit.index).trimStart();
    if (!isWhole) scan.found(body.length < 24 ? hit.index : hit.index - body.length, end, KIND);
    if (!isWhole && body.length < 24) reportLines(scan, readLines({ start: hit.index, end }, -1));
    floor = end;
  }
}

function reportLines(scan: Scan, lines: readonly Range[]): void {
  for (const { start, end } of lines) scan.found(start, end, KIND);
}

function trimEnd(text: string, start: number, end: number): number {
  const length = text.slice(start, end).replace(/[\s"',+|#*>-]+$/, '').length;
  return start + (text.slice(start, end).endsWith('----') ? end - start : length);
}
