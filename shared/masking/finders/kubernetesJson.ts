// Kubernetes Secrets in JSON, also inside strings of JSON (`last-applied-configuration`), and outputs of
// Terraform's state that are marked as sensitive. The text can be cut, and JSON can stand anywhere in it.

import { CHARACTERS_OF_STEP, moveValues, reportRanges, type Scan } from '../scan/scan.ts';
import { isStringData, MAYBE_SECRET, marksSecret, SECTION } from './secretObjects.ts';

/** An object or list that the scan is in. */
interface Frame {
  /** False for a list. */
  isObject: boolean;
  /** The key whose value comes next. */
  key: string | undefined;
  /** Whether its `kind` or `type` is that of a Secret. */
  isSecret: boolean;
  /** Whether it has a `kind`: it is no item of a list of Secrets then. */
  hasKind: boolean;
  /** Whether Terraform marks it as sensitive. */
  isSensitive: boolean;
  /** Start and end of each value below `data`; shared with nested objects. */
  values: number[];
  /** Whether it is below `data` or `stringData`. */
  inSection: boolean;
  /** The value of the key `value`, for Terraform. */
  value: Range | undefined;
}

interface Range {
  /** UTF-16 offset of the first character. */
  start: number;
  /** UTF-16 offset after the last character. */
  end: number;
}

const KIND = 'kubernetes-secret';
const SIGN = /["{}[\],]/g;
/** A quote of Python stands behind a sign. */
const PYTHON_SIGN = /(?<=[{[,:(]\s{0,4})'|[{}[\],]/g;
const PYTHON_END = /(?<!\\)'(?=\s{0,4}[,:}\])])/g;
/** No real object is nested so deeply; deeper values count to the frame above. */
const MAX_DEPTH = 1000;
/** Quotes of JSON, of JSON in a string, and of JSON in a string in a string. */
const QUOTES = ['"', '\\"', '\\\\\\"'];

/** Finds the values of Secrets and of sensitive outputs in JSON. */
export function* findJsonSecrets(scan: Scan): Generator<undefined, void> {
  const { text } = scan;
  if (text.includes('sensitive') || MAYBE_SECRET.test(text)) {
    for (const [level, quote] of QUOTES.entries()) {
      const key = `${quote}:`;
      if (text.includes(key) || text.includes(`${quote} :`)) yield* findAtLevel(scan, 2 ** level - 1);
    }
    if (/'\s{0,4}:/.test(text)) yield* findAtLevel(scan, 0, "'");
  }
}

/** One pass over the text. Quotes have exactly `backslashes` before them; fewer end the string. */
function* findAtLevel(scan: Scan, backslashes: number, quote: '"' | "'" = '"'): Generator<undefined, void> {
  const { text } = scan;
  const pattern = quote === '"' ? SIGN : PYTHON_SIGN;
  const frames: Frame[] = [];
  let tooDeep = 0;
  const close = (): void => {
    const frame = frames.pop();
    // A reported value is not reported again by a Secret around it, of which hostile texts have thousands.
    if (frame?.isSecret) reportRanges(scan, frame.values, KIND);
    else if (frame !== undefined && !frame.hasKind) moveValues(scan, frame, frames.at(-1));
    if (frame?.isSensitive && frame.value !== undefined)
      scan.found(frame.value.start, frame.value.end, 'sensitive-output');
  };
  scan.spend(text.length);
  let stepEnd = CHARACTERS_OF_STEP;
  pattern.lastIndex = 0;
  for (let sign = pattern.exec(text); sign !== null; sign = pattern.exec(text)) {
    const frame = frames.at(-1);
    if (sign[0] === '{' || sign[0] === '[') {
      if (frames.length >= MAX_DEPTH) tooDeep++;
      else frames.push(frameIn(frame, sign[0] === '{'));
    } else if (sign[0] === '}' || sign[0] === ']') {
      if (tooDeep > 0) tooDeep--;
      else close();
    } else if (sign[0] === ',') {
      if (frame?.isObject) frame.key = undefined;
    } else if (backslashesBefore(text, sign.index) < backslashes) {
      while (frames.length > 0) close();
    } else if (backslashesBefore(text, sign.index) === backslashes) {
      const string =
        quote === '"' ? stringAt(text, sign.index + 1, backslashes) : pythonStringAt(text, sign.index + 1);
      const object = quote === '"' ? objectStart(text, string) : undefined;
      pattern.lastIndex = object ?? string.next;
      if (frame !== undefined && object === undefined) readString(text, frame, string);
    }
    const next = pattern.lastIndex;
    if (next < stepEnd) continue;
    stepEnd = next + CHARACTERS_OF_STEP;
    yield undefined;
    pattern.lastIndex = next;
  }
  while (frames.length > 0) close();
}

function frameIn(parent: Frame | undefined, isObject: boolean): Frame {
  const inSection =
    parent !== undefined && (parent.inSection || (parent.isObject && SECTION.test(parent.key ?? '')));
  return {
    isObject,
    key: undefined,
    isSecret: false,
    hasKind: false,
    isSensitive: false,
    values: inSection ? parent.values : [],
    inSection,
    value: undefined,
  };
}

function readString(text: string, frame: Frame, string: Range & { next: number }): void {
  if (frame.isObject && frame.key === undefined) {
    const colon = /\s{0,40}:\s{0,40}(true)?/y;
    colon.lastIndex = string.next;
    const found = colon.exec(text);
    if (found === null) return;
    frame.key = text.slice(string.start, Math.min(string.end, string.start + 300));
    if (frame.key === 'sensitive' && found[1] !== undefined) frame.isSensitive = true;
    if (frame.key === 'kind') frame.hasKind = true;
    if (isStringData(frame.key, text, string.end)) frame.isSecret = true;
    return;
  }
  if (frame.inSection) frame.values.push(string.start, string.end);
  if (frame.key === 'value') frame.value = string;
  if (marksSecret(frame.key ?? '', text.slice(string.start, Math.min(string.end, string.start + 100))))
    frame.isSecret = true;
}

/** The string of Python whose first character is at `start`: its end stands before a sign. */
function pythonStringAt(text: string, start: number): Range & { next: number } {
  PYTHON_END.lastIndex = start;
  const end = PYTHON_END.exec(text)?.index ?? text.length;
  return { start, end, next: end + 1 };
}

/** The string whose first character is at `start`; up to the end of the text if it was cut. */
function stringAt(text: string, start: number, backslashes: number): Range & { next: number } {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    const before = backslashesBefore(text, at);
    if (before < backslashes || (before === backslashes && backslashes > 0))
      return { start, end: at - before, next: before < backslashes ? at : at + 1 };
    if (backslashes === 0 && before % 2 === 0) return { start, end: at, next: at + 1 };
  }
  return { start, end: text.length, next: text.length };
}

/**
 * Where an object starts, if the supposed string is the prose before it: `msg="applied {"kind":"Secret"`. No
 * string of JSON ends with a brace and is followed by a key.
 */
function objectStart(text: string, { start, end, next }: Range & { next: number }): number | undefined {
  const from = Math.max(start, end - 40);
  const brace = /\{\s*$/.exec(text.slice(from, end));
  const key = /[^"\\]{1,300}\\{0,15}"\s{0,40}:/y;
  key.lastIndex = next;
  return brace !== null && key.test(text) ? from + brace.index : undefined;
}

/** At most 16 are counted: more stand in no JSON. */
function backslashesBefore(text: string, index: number): number {
  let count = 0;
  while (count < 16 && text[index - 1 - count] === '\\') count++;
  return count;
}
