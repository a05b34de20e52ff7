// Kubernetes Secrets as programs print them: Go structs and maps, `kubectl get secret -o jsonpath`.

import { CHARACTERS_OF_STEP, type Scan } from '../scan/scan.ts';

const KIND = 'kubernetes-secret';
/** `Data:map[string][]byte{`, `data:map[`, `StringData: (map[string]string) (len=2) {`. */
const GO_MAP =
  /\b(?:(?:Binary|String)?Data|(?:binary|string)Data|data):\s{0,4}(?:\(?(map\[string\](?:\[\](?:byte|uint8)|string))\)?\s{0,4}(?:\(len=\d{1,9}\)\s{0,4})?\{|(map\[)(?!string\]))/g;
/** Text before or behind a map of texts that marks it as a Secret's. */
const OF_SECRET = /\bSecret\s{0,4}\{|\b[Kk]ind:\s{0,4}\(?"?(?:string\) \(len=6\) ")?Secret\b/;
const AROUND = 3000;
const MAX_MAP = 65_536;
/** A key, and bytes as numbers, a quoted text or words up to the next key. */
const ENTRY =
  /"?([\w./-]{1,253})"?\s{0,4}:\s{0,4}(?:\((?:\[\](?:uint8|byte)|string)\) \(len=\d{1,9}[^)]{0,20}\)\s{0,4})?((?:\[\](?:uint8|byte))?(?:\{[^{}]{0,40000}\}|\([^()]{0,40000}\)|\[[^[\]]{0,40000}\])|"(?:[^"\\]|\\.){0,40000}"|[^\s"{}[\],][^"{}[\]]{0,40000}?(?=[ ,]+[\w./-]{1,253}:|[\]},]|$))/g;

/** Finds the values of Secrets in dumps of Go and in the output of kubectl. */
export function* findPrintedSecrets(scan: Scan): Generator<undefined, void> {
  const { text } = scan;
  if (/[Dd]ata:\s{0,4}\(?map\[/.test(text)) yield* findMaps(scan);
  if (/\bget\s{1,4}secrets?\b/.test(text)) yield* findOutputs(scan);
  for (const { index, 0: whole, 1: entries = '' } of text.matchAll(PATCH)) {
    const end = index + whole.length;
    reportEntries(scan, end - entries.length, end);
  }
}

function* findMaps(scan: Scan): Generator<undefined, void> {
  const { text } = scan;
  let stepEnd = CHARACTERS_OF_STEP;
  GO_MAP.lastIndex = 0;
  for (let hit = GO_MAP.exec(text); hit !== null; hit = GO_MAP.exec(text)) {
    const start = hit.index + hit[0].length;
    const end = endOfMap(text, start, hit[2] === undefined ? '}' : ']');
    scan.spend(Math.min(2 * AROUND, 400) + end - start);
    // Only Secrets consist of bytes.
    if (/byte|uint8/.test(hit[1] ?? '') || isSecretAround(scan, hit.index, end))
      reportEntries(scan, start, end);
    const next = Math.max(end, start);
    if (next >= stepEnd) {
      stepEnd = next + CHARACTERS_OF_STEP;
      yield undefined;
    }
    GO_MAP.lastIndex = next;
  }
}

/** Where a map ends: at the bracket that closes it, or with the text. */
function endOfMap(text: string, start: number, closing: '}' | ']'): number {
  const limit = Math.min(text.length, start + MAX_MAP);
  const opening = closing === '}' ? '{' : '[';
  let depth = 1;
  for (let at = start; at < limit; at++) {
    const sign = text[at];
    if (sign === opening) depth++;
    else if (sign === closing && --depth === 0) return at;
  }
  return limit;
}

function isSecretAround(scan: Scan, start: number, end: number): boolean {
  scan.spend(AROUND / 10);
  return (
    OF_SECRET.test(scan.text.slice(Math.max(0, start - AROUND), start)) ||
    OF_SECRET.test(scan.text.slice(end, end + AROUND))
  );
}

function reportEntries(scan: Scan, start: number, end: number): void {
  for (const { index, 0: whole, 2: value = '' } of scan.text.slice(start, end).matchAll(ENTRY)) {
    const trimmed = value.replace(/^(?:\[\](?:uint8|byte))?[{([]|[})\]]$|^"|"$/g, '');
    const from = start + index + whole.length - value.length + value.indexOf(trimmed);
    scan.found(from, from + trimmed.length, KIND);
  }
}

/** `kubectl patch secret db -p '{"data":{"pin":"…"}}'`. */
const PATCH = /\bpatch\s{1,4}secrets?\b[^\n]{0,400}?[Dd]ata"?\s{0,4}:\s{0,4}\{([^{}\n]{1,8192})/g;

/** A command that prints values of Secrets, and the line behind it, which can be decoded. */
const OUTPUT =
  /\bget\s{1,4}secrets?\b[^\n]{0,400}?(?:jsonpath|go-template|template|custom-columns)[^\n]{0,400}\r?\n(?:[ \t]{0,20})([^\n]{4,65536})/g;

function* findOutputs(scan: Scan): Generator<undefined, void> {
  let stepEnd = CHARACTERS_OF_STEP;
  OUTPUT.lastIndex = 0;
  for (let hit = OUTPUT.exec(scan.text); hit !== null; hit = OUTPUT.exec(scan.text)) {
    const output = (hit[1] ?? '').trimEnd();
    const start = hit.index + hit[0].length - (hit[1] ?? '').length;
    scan.spend(hit[0].length);
    if (/^(?:map\[|\{)/.test(output))
      reportEntries(scan, start + (output.startsWith('{') ? 1 : 4), start + output.length);
    else if (/^[^\s$#>]\S*$/.test(output) && !/:$/.test(output))
      scan.found(start, start + output.length, KIND);
    if (start >= stepEnd) {
      stepEnd = start + CHARACTERS_OF_STEP;
      yield undefined;
    }
    // The next command is no output.
    OUTPUT.lastIndex = start;
  }
}
