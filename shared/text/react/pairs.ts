// Reads arguments as loose pairs, `key: value, other=value`, with bare words as values.

import { type JsonObject, parseJson } from '../json.ts';
import { parseExactJson } from './jsonObject.ts';

/** A parameter's name: no spaces, and nothing that would make a query or an expression look like a pair. */
const KEY = /^[\p{L}_$@][^\s:="'`(){}[\],]*$/u;
/** An empty value above an indented line: a nested structure that pairs would misread. */
const NESTED = /[:=][ \t]*(?:&[\w-]*[ \t]*)?\n[ \t]+\S/;
const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}' };
const QUOTES = '"\'';
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const DECIMAL = /^-?(?:\d+\.\d+|\.\d+)$/;

/** The pairs of a text, split on commas and lines; undefined unless all are pairs. Last key wins. */
export function readPairs(text: string): JsonObject | undefined {
  if (NESTED.test(text)) return undefined;
  const parts = splitParts(text)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const pairs: [string, unknown][] = [];
  for (const part of parts) {
    const pair = readArgumentPair(part, ':') ?? readArgumentPair(part, '=');
    if (pair === undefined) return undefined;
    pairs.push(pair);
  }
  // Not by assignment: a key can be `__proto__`.
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

function readArgumentPair(part: string, separator: string): [string, unknown] | undefined {
  const at = part.indexOf(separator);
  if (at === -1) return undefined;
  const key = removeQuotes(part.slice(0, at).trim());
  const value = part.slice(at + 1);
  // `https://…` is an address, not a key.
  const isAddress = separator === ':' && value.startsWith('//');
  return KEY.test(key) && !isAddress ? [key, readPairValue(value.trim())] : undefined;
}

function readPairValue(text: string): unknown {
  const inner = removeQuotes(text);
  if (inner !== text) return inner;
  if (text.startsWith('[') || text.startsWith('{')) return parseExactJson(text) ?? text;
  return parseScalar(text);
}

/**
 * A bare word as a value: true, false, null and none in any case, integers, decimals. Everything else stays
 * text: NaN and Infinity, which JSON cannot hold, and integers that would lose digits (long ids) or leading
 * zeros.
 */
export function parseScalar(text: string): string | number | boolean | null {
  switch (text.toLowerCase()) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
    case 'none':
      return null;
  }
  if (INTEGER.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : text;
  if (DECIMAL.test(text)) return Number.isFinite(Number(text)) ? Number(text) : text;
  return text;
}

function removeQuotes(text: string): string {
  const quote = text.charAt(0);
  if (text.length < 2 || !QUOTES.includes(quote) || !text.endsWith(quote)) return text;
  if (quote === "'") return text.slice(1, -1);
  const value = parseJson(text);
  return typeof value === 'string' ? value : text.slice(1, -1);
}

/** Splits on commas and lines outside quotes and brackets. Unmatched brackets are characters. */
function splitParts(text: string): string[] {
  return splitOutside(text, true) ?? splitOutside(text, false) ?? [text];
}

/** The parts, split outside quotes and, if asked, brackets; undefined if those do not match. */
function splitOutside(text: string, withBrackets: boolean): string[] | undefined {
  const parts: string[] = [];
  const open: string[] = [];
  const unclosedQuotes = new Set<string>();
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (QUOTES.includes(character)) {
      if (unclosedQuotes.has(character) || !opensQuote(text, index)) continue;
      const end = findClosingQuote(text, index);
      if (end === -1) unclosedQuotes.add(character);
      else index = end;
    } else if (withBrackets && CLOSING[character] !== undefined) {
      open.push(CLOSING[character]);
    } else if (withBrackets && ')]}'.includes(character)) {
      if (open.pop() !== character) return undefined;
    } else if ((character === ',' || character === '\n') && open.length === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  if (open.length > 0) return undefined;
  return [...parts, text.slice(start)];
}

/** Whether the quote at `index` opens a quotation; in the middle of a word it is an apostrophe. */
function opensQuote(text: string, index: number): boolean {
  const before = text.charAt(index - 1);
  return before.trim() === '' || ',:=([{'.includes(before);
}

/** Index of the closing quote; -1 when there is none. A character after a backslash does not close it. */
function findClosingQuote(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\\') index += 1;
    else if (character === text.charAt(start)) return index;
  }
  return -1;
}
