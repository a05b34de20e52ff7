// Lines of a private key whose first and last line were cut off.

import type { Scan } from '../scan/scan.ts';
import { createKeyLineReader, type KeyLineReader } from './privateKeyLines.ts';

const KIND = 'private-key';
/**
 * How keys start: PKCS #1 (version and modulus), PKCS #8 (RSA, EC, Ed25519, encrypted), SEC 1, DSA, and
 * OpenSSH's.
 */
const KEY_START =
  /(?:(?<![A-Za-z0-9+/])|(?<=^\+))(?:MII[A-Za-z0-9+/]{2}[QwAg]IBAA[A-Za-z0-9+/]|MI[GH][A-Za-z0-9+/]{1,3}AgEA|MII[A-Za-z0-9+/]{3}IBADAN|M[A-Za-z0-9+/]{2}CAQ[AE][EwY]|b3BlbnNzaC1rZXktdjEA)[A-Za-z0-9+/]{24,}={0,2}/gm;
/** A whole line of PEM (64) or of OpenSSH (70). */
const WHOLE_LINE =
  /(?:(?<![A-Za-z0-9+/=])|(?<=^\+))(?:[A-Za-z0-9+/]{70}|[A-Za-z0-9+/]{64})(?![A-Za-z0-9+/=])/gm;
/** Fewer lines are digests, ids or parts of a path. */
const FEWEST_LINES = 3;
/** Lines from one to the next: a logger can write other lines between. */
const MAX_APART = 3;
const MARKER = /-{4,5} ?(BEGIN|END) [ A-Z0-9_-]{0,80}-{4,5}/g;
/** A marker that is further away belongs to other data. */
const MARKER_DISTANCE = 16_384;

interface Block {
  /** UTF-16 offsets of each line, the end not included. */
  lines: { start: number; end: number }[];
  /** End of the last line that was looked at. */
  end: number;
}

/** Finds lines of keys without first and last line. Lines within a certificate do not count. */
export function findPrivateKeyBodies(scan: Scan): void {
  const isPublic = createPublicCheck(scan.text);
  findStarts(scan, isPublic);
  findBlocks(scan, isPublic);
}

function findStarts(scan: Scan, isPublic: PublicCheck): void {
  const { text } = scan;
  const readLines = createKeyLineReader(scan);
  KEY_START.lastIndex = 0;
  for (let hit = KEY_START.exec(text); hit !== null; hit = KEY_START.exec(text)) {
    const start = { start: hit.index, end: hit.index + hit[0].length };
    scan.spend(hit[0].length);
    if (isPublic(start.start, start.end)) continue;
    const lines = [start, ...readLines(start, 1)];
    for (const line of lines) scan.found(line.start, line.end, KIND);
    KEY_START.lastIndex = lines.at(-1)?.end ?? start.end;
  }
}

function findBlocks(scan: Scan, isPublic: PublicCheck): void {
  const { text } = scan;
  const readLines = createKeyLineReader(scan);
  let block: Block | undefined;
  const finish = (): void => {
    if (block !== undefined) reportBlock(scan, block.lines, isPublic, readLines);
    block = undefined;
  };
  WHOLE_LINE.lastIndex = 0;
  for (let hit = WHOLE_LINE.exec(text); hit !== null; hit = WHOLE_LINE.exec(text)) {
    const run = { start: hit.index, end: hit.index + hit[0].length };
    if (!isRandom(hit[0])) continue;
    const between =
      block === undefined ? undefined : text.slice(block.end, Math.min(run.start, block.end + 400));
    scan.spend(64);
    const breaks = (between?.split('\n').length ?? 0) - 1;
    if (breaks < 1 || breaks > MAX_APART) finish();
    block ??= { lines: [], end: run.end };
    block.lines.push(run);
    block.end = run.end;
  }
  finish();
}

/** Digests have one case, and text in base64 repeats itself. */
const isRandom = (run: string): boolean =>
  /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run) && /[g-zG-Z+/]/.test(run) && !isReadableBody(run);

const isReadableBody = (run: string): boolean =>
  /^[\x20-\x7e\s]{40,}$/.test(Buffer.from(run, 'base64').toString('latin1'));

function reportBlock(
  scan: Scan,
  lines: Block['lines'],
  isPublic: PublicCheck,
  readLines: KeyLineReader,
): void {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined || lines.length < FEWEST_LINES) return;
  if (isPublic(first.start, last.end)) return;
  for (const line of [...lines, ...readLines(last, 1)]) scan.found(line.start, line.end, KIND);
}

/** Whether the markers before and behind a range are those of a certificate, a public key or a signature. */
type PublicCheck = (start: number, end: number) => boolean;

/** A check for ranges of one text, of which its markers are read once. */
function createPublicCheck(text: string): PublicCheck {
  const markers = [...text.matchAll(MARKER)].map(({ index, 0: marker, 1: word }) => ({
    start: index,
    isBegin: word === 'BEGIN',
    isPrivate: /PRIVATE|SECRET/.test(marker),
  }));
  return (start, end) => {
    const next = firstFrom(markers, start);
    const [before, behind] = [markers[next - 1], markers[firstFrom(markers, end, next)]];
    const isOpen = before?.isBegin === true && !before.isPrivate && before.start >= start - MARKER_DISTANCE;
    const isClosed = behind?.isBegin === false && !behind.isPrivate && behind.start < end + MARKER_DISTANCE;
    return isOpen || isClosed;
  };
}

/** The index of the first marker that starts at `position` or behind it. */
function firstFrom(markers: readonly { start: number }[], position: number, from = 0): number {
  let [low, high] = [from, markers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((markers[middle]?.start ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
