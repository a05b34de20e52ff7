// The first object of a text in a looser notation than JSON: Python dictionaries, comments, raw line breaks
// in strings, and keys and values without quotes.

import { type JsonObject, parseJson } from '../json.ts';
import { type FirstObject, parseExactJson } from './jsonObject.ts';
import { parseScalar } from './pairs.ts';

/** No tool takes values that are nested deeper. */
const MAX_DEPTH = 64;
const KEY = /[\p{L}_$@][^\s:="'`(){}[\],]*/uy;
/** Comments of Python, JavaScript and YAML. */
const COMMENT = /#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
/** A key within a bare value: the comma before it is missing. */
const HIDDEN_KEY = /["']\s*:/;
const OPENING = '([{';
const CLOSING = ')]}';
const QUOTES = '"\'';

/** Maximum character reads per character of a text. A text that needs more is built to cost time. */
const STEPS_PER_CHARACTER = 30;

/** A text, and its remaining character reads. */
interface Source {
  text: string;
  left: number;
}

/** A value and the index after it. */
interface Read<T> {
  value: T;
  end: number;
}

/**
 * The object that starts at the first character of `text`, with any text after it. Undefined when there is
 * none: every key needs a colon and a value, so that `{app="web"}` stays text. Never throws.
 */
export function readLooseObject(text: string): FirstObject | undefined {
  if (!text.startsWith('{')) return undefined;
  const read = readObject({ text, left: STEPS_PER_CHARACTER * text.length }, 0, MAX_DEPTH);
  return read && { ...read, isCompleted: false };
}

function readObject(source: Source, start: number, depth: number): Read<JsonObject> | undefined {
  const { text } = source;
  const entries: [string, unknown][] = [];
  let at = skipBlank(source, start + 1);
  while (text.charAt(at) !== '}') {
    const key = readLooseKey(source, at);
    if (key === undefined) return undefined;
    const colon = skipBlank(source, key.end);
    if (text.charAt(colon) !== ':') return undefined;
    const value = readLooseValue(source, skipBlank(source, colon + 1), depth);
    if (value === undefined) return undefined;
    entries.push([key.value, value.value]);
    const next = afterElement(source, value.end, '}');
    if (next === undefined) return undefined;
    at = next;
  }
  // Not by assignment: a key can be `__proto__`.
  return entries.length === 0 ? undefined : { value: Object.fromEntries(entries), end: at + 1 };
}

function readList(source: Source, start: number, depth: number): Read<unknown[]> | undefined {
  const { text } = source;
  const items: unknown[] = [];
  let at = skipBlank(source, start + 1);
  while (text.charAt(at) !== ']') {
    const item = readLooseValue(source, at, depth);
    if (item === undefined) return undefined;
    items.push(item.value);
    const next = afterElement(source, item.end, ']');
    if (next === undefined) return undefined;
    at = next;
  }
  return { value: items, end: at + 1 };
}

/** The index of the next element, or of the closing bracket; undefined when neither follows. */
function afterElement(source: Source, end: number, closing: string): number | undefined {
  const { text } = source;
  const at = skipBlank(source, end);
  if (text.charAt(at) === closing) return at;
  return text.charAt(at) === ',' ? skipBlank(source, at + 1) : undefined;
}

function readLooseKey(source: Source, start: number): Read<string> | undefined {
  const { text } = source;
  const quoted = readString(source, start);
  if (quoted !== undefined) return quoted;
  KEY.lastIndex = start;
  const name = KEY.exec(text)?.[0];
  return name === undefined ? undefined : { value: name, end: start + name.length };
}

function readLooseValue(source: Source, start: number, depth: number): Read<unknown> | undefined {
  const { text } = source;
  const first = text.charAt(start);
  if (QUOTES.includes(first) && first !== '') return readString(source, start);
  if (depth > 0 && first === '{') {
    const inner = emptyObject(source, start) ?? readObject(source, start, depth - 1);
    if (inner !== undefined && endsValue(source, inner.end)) return inner;
  }
  if (depth > 0 && first === '[') {
    const inner = readList(source, start, depth - 1);
    if (inner !== undefined && endsValue(source, inner.end)) return inner;
  }
  return readBare(source, start);
}

function emptyObject(source: Source, start: number): Read<JsonObject> | undefined {
  const { text } = source;
  const end = skipBlank(source, start + 1);
  return text.charAt(end) === '}' ? { value: {}, end: end + 1 } : undefined;
}

/**
 * A quoted text. A quote closes it where a separator or a bracket follows, so that apostrophes and quotes
 * within are text. Three quotes are closed by three.
 */
function readString(source: Source, start: number): Read<string> | undefined {
  const { text } = source;
  const quote = text.charAt(start);
  if (quote === '' || !QUOTES.includes(quote)) return undefined;
  const triple = quote.repeat(3);
  const marks = text.startsWith(triple, start) ? triple : quote;
  for (let index = start + marks.length; index < text.length && source.left > 0; index += 1) {
    source.left -= 1;
    if (text.charAt(index) === '\\') index += 1;
    else if (text.startsWith(marks, index) && endsValue(source, index + marks.length)) {
      return { value: readEscapes(text.slice(start + marks.length, index)), end: index + marks.length };
    }
  }
  return undefined;
}

/** Whether a separator, a closing bracket or a colon follows. */
function endsValue(source: Source, end: number): boolean {
  const { text } = source;
  const next = text.charAt(skipBlank(source, end));
  return next !== '' && ',:}]'.includes(next);
}

/** The text with its escapes read; escapes that JSON does not know stay unchanged, as in Python. */
function readEscapes(raw: string): string {
  return raw.replace(/\\(?:u[0-9a-fA-F]{4}|.)/gs, (written) => {
    if (written === "\\'") return "'";
    if (written === '\\\n') return '';
    const value = parseJson(`"${written}"`);
    return typeof value === 'string' ? value : written;
  });
}

/** A value without quotes: up to the next comma or closing bracket, without a comment. */
function readBare(source: Source, start: number): Read<unknown> | undefined {
  const { text } = source;
  let open = 0;
  let end = start;
  for (; end < text.length && source.left > 0; end += 1) {
    source.left -= 1;
    const character = text.charAt(end);
    if (OPENING.includes(character)) open += 1;
    else if (open > 0 && CLOSING.includes(character)) open -= 1;
    else if (open === 0 && ',}]\n'.includes(character)) break;
    else if (isComment(text, end)) break;
  }
  const bare = text.slice(start, end).trim();
  if (end === text.length || source.left <= 0 || bare === '' || HIDDEN_KEY.test(bare)) return undefined;
  const value = /^[[{]/.test(bare) ? (parseExactJson(bare) ?? bare) : parseScalar(bare);
  return { value, end };
}

/** Index of the next character beyond white space and comments; the end after too much reading. */
function skipBlank(source: Source, start: number): number {
  let at = start;
  while (source.left > 0) {
    const next = blankEnd(source.text, at);
    source.left -= next - at + 1;
    if (next === at) return at;
    at = next;
  }
  return source.text.length;
}

/** The index after the white space at `start` and one comment; `start` when there is neither. */
function blankEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charAt(at).trim() === '') at += 1;
  if (!isComment(text, at)) return at;
  COMMENT.lastIndex = at;
  return at + (COMMENT.exec(text)?.[0].length ?? 0);
}

/** Whether a comment starts: after white space, separator or bracket, so not in addresses. */
function isComment(text: string, at: number): boolean {
  const begins = text.charAt(at) === '#' || text.startsWith('//', at) || text.startsWith('/*', at);
  const before = text.charAt(at - 1);
  return begins && (before.trim() === '' || ',{[]}"\''.includes(before));
}
