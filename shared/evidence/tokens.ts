// Splits a text into the parts that quotes are compared by: words, values, marks of masked secrets and signs.
// White space, quotation marks, emphasis, borders of tables and prefixes of frames are left out.

import { markLines } from '../text/untrustedFrame.ts';
import { numberAt, timeAt, type Value } from './values.ts';

/** A piece of a text. */
export interface Token {
  /** A word, a mark or a sign as written; empty for a value. */
  word: string;
  /** Set for a number or a time. */
  value?: Value;
  /** Where it stands in the prepared text. */
  start: number;
  end: number;
}

/** A text that was prepared and split. */
export interface Tokens {
  /** The text of the tokens: without escape codes, with marks before lines of the conversation format. */
  text: string;
  tokens: readonly Token[];
}

const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');
const TYPOGRAPHY: readonly [RegExp, string][] = [
  [/[“”„«»]/g, '"'],
  [/[‘’]/g, "'"],
  [/[−–]/g, '-'],
  [/…/g, '...'],
];
const MARK = /\[masked:[a-z][a-z0-9-]{0,40}(?:#[0-9a-f]{6,64})?\]/uy;
const WORD = /[\p{L}\p{N}_]+(?:[-.][\p{L}\p{N}_]+)*/uy;
/** White space as it is or escaped in JSON, quotation marks, emphasis and borders of tables. */
const IGNORED = /(?:\s|\\+[nrt]|\\+(?=["'/\\])|["'`*|│┃¦]|\+(?=-)|(?<=-)\+|-{2,}(?=[\s|+:]|$)|[─═┼├┤])+/uy;
const IS_WORD = /[\p{L}\p{N}_]/u;

/** Splits a text. The positions of the tokens are those of `text` of the answer. */
export function tokenizeText(source: string): Tokens {
  const text = prepareText(source);
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    IGNORED.lastIndex = at;
    if (IGNORED.test(text)) {
      at = IGNORED.lastIndex;
      continue;
    }
    const token = tokenAt(text, at);
    tokens.push(token);
    at = token.end;
  }
  return { text, tokens };
}

/** The text with one form of its quotation marks, and with the marks that a frame puts before lines. */
function prepareText(source: string): string {
  let text = source.replace(ESCAPES, '').normalize('NFC');
  for (const [form, usual] of TYPOGRAPHY) text = text.replace(form, usual);
  return markLines(text);
}

function tokenAt(text: string, at: number): Token {
  const found = timeAt(text, at) ?? numberAt(text, at);
  if (found !== undefined && !isInside(text, at)) {
    return { word: '', value: found.value, start: at, end: found.end };
  }
  const form = text.charAt(at) === '[' ? MARK : WORD;
  form.lastIndex = at;
  const word = form.exec(text)?.[0];
  if (word !== undefined) return { word, start: at, end: at + word.length };
  const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return { word: sign, start: at, end: at + sign.length };
}

/** Whether a word goes on at a position. */
function isInside(text: string, at: number): boolean {
  return at > 0 && IS_WORD.test(text.charAt(at - 1)) && IS_WORD.test(text.charAt(at));
}

/** Whether a token is a word or a mark, not a sign or a value. */
export function isWord({ word }: Token): boolean {
  return IS_WORD.test(word);
}

/** A token as records name it: a number without its unit, a word in lower case. */
export const tokenName = ({ word, value }: Token): string =>
  value?.kind === 'number' ? String(value.number) : word.toLowerCase();
