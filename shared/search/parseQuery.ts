// Parses REM queries of the knowledge base: LOOKUP, FUZZY, SEARCH, TRAVERSE. Pure; there is no SQL.

import { quoteText } from '../text/cut.ts';
import { KNOWLEDGE_KINDS, type KnowledgeKind, toKnowledgeKey } from './knowledge.ts';
import { type Token, tokenizeQuery } from './queryTokens.ts';

/** A query that can be run. */
export type RemQuery =
  | { verb: 'lookup'; keys: string[] }
  | { verb: 'fuzzy'; text: string; threshold: number; limit: number }
  | { verb: 'search'; text: string; kind: KnowledgeKind; limit: number; minSimilarity: number }
  /** `types`: of links to follow; empty for all. `depth` 0: lists the links without following them. */
  | { verb: 'traverse'; key: string; depth: number; types: string[] };

/** The query, or its fault with the fix. */
type ParsedQuery = { ok: true; query: RemQuery } | { ok: false; message: string };

/** The form of each verb, as errors and the tool's description show it. */
export const QUERY_FORMS = [
  'LOOKUP key[, key]',
  'FUZZY text [THRESHOLD 0.3] [LIMIT n]',
  'SEARCH text [IN resources|runbooks|sessions|messages] [LIMIT n] [MIN_SIMILARITY 0.3]',
  'TRAVERSE key [DEPTH 1] [TYPE a,b]',
] as const;

/** Characters of a query. */
const MAX_QUERY = 2_000;
/** Keys of one LOOKUP. */
const MAX_KEYS = 20;
/** Entries of an answer. */
const MAX_LIMIT = 50;
/** Links from the first entry to the last one. */
const MAX_DEPTH = 4;
const MAX_TYPES = 20;
/** Maximum length of a quotation in an error, in characters. */
const QUOTED = 60;

const DEFAULT_LIMIT = 10;
const DEFAULT_SIMILARITY = 0.3;
const NUMBER = /^(\d+(\.\d*)?|\.\d+)$/;

/** Thrown and caught in this file. */
class Fault extends Error {}

/**
 * Parses a query. Verbs and keywords are case-insensitive; a parameter can have the form `name=value`.
 * @param limit of entries, for a query without LIMIT: 1 to 50. Default: 10.
 */
export function parseQuery(text: string, limit: number = DEFAULT_LIMIT): ParsedQuery {
  if (text.trim() === '') return { ok: false, message: 'Empty query string' };
  if (text.length > MAX_QUERY)
    return {
      ok: false,
      message: `The query has ${text.length} characters; ${MAX_QUERY} at most. Ask for less.`,
    };
  try {
    return { ok: true, query: parseVerbQuery(tokenizeQuery(text), limit) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, message: error.message };
  }
}

function parseVerbQuery([verb, ...rest]: Token[], limit: number): RemQuery {
  const name = verb?.text ?? '';
  switch (name.toUpperCase()) {
    case 'LOOKUP':
      return parseLookup(rest);
    case 'FUZZY':
      return parseFuzzy(rest, limit);
    case 'SEARCH':
      return parseSearch(rest, limit);
    case 'TRAVERSE':
      return parseTraverse(rest);
    default:
      throw new Fault(
        `Unknown verb "${quoteText(name, QUOTED)}". Known verbs: ${QUERY_FORMS.join('; ')}. There is no SQL.`,
      );
  }
}

function parseLookup(tokens: Token[]): RemQuery {
  const text = tokens
    .map((token, index) => (index === 0 ? withoutName(token, ['KEY', 'KEYS']) : token))
    .map(({ text, isQuoted }) => (isQuoted ? text.replaceAll(',', ' ') : text))
    .join(' ');
  const keys = [...new Set(text.split(',').map(toKnowledgeKey))].filter((key) => key !== '');
  if (keys.length === 0) throw new Fault('LOOKUP needs a key: LOOKUP payments-api');
  if (keys.length > MAX_KEYS)
    throw new Fault(`LOOKUP takes ${MAX_KEYS} keys at most; these are ${keys.length}.`);
  return { verb: 'lookup', keys };
}

function parseFuzzy(tokens: Token[], limit: number): RemQuery {
  const { text, values } = textAndValues('FUZZY', tokens, ['THRESHOLD', 'LIMIT']);
  return {
    verb: 'fuzzy',
    text,
    threshold: parseShare('THRESHOLD', values.get('THRESHOLD')),
    limit: wholeNumber('LIMIT', values.get('LIMIT'), 1, MAX_LIMIT, limit),
  };
}

function parseSearch(tokens: Token[], limit: number): RemQuery {
  const { text, values } = textAndValues('SEARCH', tokens, ['IN', 'LIMIT', 'MIN_SIMILARITY']);
  const table = values.get('IN');
  return {
    verb: 'search',
    text,
    kind: table === undefined ? 'resource' : kindOfTable(table),
    limit: wholeNumber('LIMIT', values.get('LIMIT'), 1, MAX_LIMIT, limit),
    minSimilarity: parseShare('MIN_SIMILARITY', values.get('MIN_SIMILARITY')),
  };
}

function parseTraverse(tokens: Token[]): RemQuery {
  const names = ['DEPTH', 'TYPE'];
  const words: string[] = [];
  const values = new Map<string, string>();
  let name: string | undefined;
  for (const [index, token] of tokens.entries()) {
    const pair = readNamedValue(token, names);
    const keyword = pair?.name ?? readKeyword(token, names);
    if (index > 0 && keyword !== undefined) {
      if (values.has(keyword)) throw new Fault(`TRAVERSE has ${keyword} twice; give it once.`);
      values.set(keyword, pair?.value ?? '');
      name = keyword;
    } else if (name === undefined) {
      words.push(index === 0 ? withoutName(token, ['KEY']).text : token.text);
    } else values.set(name, `${values.get(name)} ${token.text}`.trim());
  }
  const key = toKnowledgeKey(words.join(' '));
  if (key === '') throw new Fault('TRAVERSE needs a key: TRAVERSE payments-api DEPTH 2');
  const types = values.get('TYPE');
  return {
    verb: 'traverse',
    key,
    depth: wholeNumber('DEPTH', values.get('DEPTH'), 0, MAX_DEPTH, 1),
    types: types === undefined ? [] : parseTypeList(types),
  };
}

function parseTypeList(text: string): string[] {
  const types = [...new Set(text.split(/[,\s]+/).map(toKnowledgeKey))].filter((type) => type !== '');
  if (types.length === 0) throw new Fault('TYPE needs types of links: TYPE depends-on,owned-by');
  if (types.length > MAX_TYPES)
    throw new Fault(`TYPE takes ${MAX_TYPES} types at most; these are ${types.length}.`);
  return types;
}

/**
 * The search text, and the parameters after it. The text ends at the first parameter and is never empty: the
 * first word is text even if it reads like a parameter (`FUZZY limit LIMIT 3`).
 */
function textAndValues(
  verb: string,
  tokens: Token[],
  names: string[],
): { text: string; values: ReadonlyMap<string, string> } {
  const left = tokens.map((token, index) => (index === 0 ? withoutName(token, ['TEXT', 'QUERY']) : token));
  const values = new Map<string, string>();
  for (;;) {
    const parameter = lastParameter(left, names);
    if (parameter === undefined) break;
    const { name, value, count } = parameter;
    if (values.has(name)) throw new Fault(`${verb} has ${name} twice; give it once.`);
    values.set(name, value);
    left.splice(-count);
  }
  const last = left.at(-1);
  const open = last !== undefined && left.length > 1 ? readKeyword(last, names) : undefined;
  if (open !== undefined && last?.text === open)
    throw new Fault(`${open} needs a value. Quote the word if it belongs to the text: '${last.text}'.`);
  const text = left
    .map((token) => token.text)
    .join(' ')
    .trim();
  if (text === '')
    throw new Fault(`${verb} needs a text before its parameters: ${verb} connection refused LIMIT 5`);
  return { text, values };
}

/** The parameter at the end: one word `name=value`, or two words. The first word belongs to the text. */
function lastParameter(
  tokens: Token[],
  names: string[],
): { name: string; value: string; count: number } | undefined {
  const last = tokens.at(-1);
  if (last === undefined) return undefined;
  const pair = parameterIn(last, names);
  if (pair !== undefined) return { ...pair, count: 1 };
  const before = tokens.at(-2);
  const name = before === undefined ? undefined : readKeyword(before, names);
  if (before === undefined || name === undefined) return undefined;
  // `FUZZY LIMIT 3` has no text, so that an error can report it; `FUZZY in production` has one.
  if (tokens.length === 2 && !NUMBER.test(last.text)) return undefined;
  // In small letters "in" is a word like others unless a table follows.
  if (name === 'IN' && before.text !== 'IN' && findKnowledgeTable(last.text) === undefined) return undefined;
  return { name, value: last.text, count: 2 };
}

function readKeyword({ text, isQuoted }: Token, names: string[]): string | undefined {
  return isQuoted ? undefined : names.find((name) => name === text.toUpperCase());
}

/** `limit=3` */
function readNamedValue(
  { text, isQuoted }: Token,
  names: string[],
): { name: string; value: string } | undefined {
  const at = text.indexOf('=');
  if (isQuoted || at === -1) return undefined;
  const name = names.find((one) => one === text.slice(0, at).toUpperCase());
  return name === undefined ? undefined : { name, value: text.slice(at + 1) };
}

/** A parameter of one word. `table=sessions` equals `IN=sessions`; as two words, "table" is text. */
function parameterIn(token: Token, names: string[]): { name: string; value: string } | undefined {
  const table = names.includes('IN') ? readNamedValue(token, ['TABLE']) : undefined;
  return table === undefined ? readNamedValue(token, names) : { ...table, name: 'IN' };
}

/** The word without a redundant parameter name: `key=payments-api`. */
function withoutName(token: Token, names: string[]): Token {
  const pair = readNamedValue(token, names);
  return pair === undefined ? token : { ...token, text: pair.value };
}

function findKnowledgeTable(text: string): KnowledgeKind | undefined {
  const name = text.toLowerCase();
  return KNOWLEDGE_KINDS.find((kind) => name === kind || name === `${kind}s`);
}

function kindOfTable(text: string): KnowledgeKind {
  const kind = findKnowledgeTable(text);
  if (kind !== undefined) return kind;
  const tables = KNOWLEDGE_KINDS.map((one) => `${one}s`).join(', ');
  throw new Fault(`IN names no table "${quoteText(text, QUOTED)}"; there are ${tables}.`);
}

/** From 0 to 1. Default: 0.3. */
function parseShare(name: string, value: string | undefined): number {
  if (value === undefined) return DEFAULT_SIMILARITY;
  const number = NUMBER.test(value) ? Number(value) : Number.NaN;
  if (number >= 0 && number <= 1) return number;
  throw notAsExpected(name, 'a number from 0 to 1', value);
}

function wholeNumber(
  name: string,
  value: string | undefined,
  least: number,
  most: number,
  otherwise: number,
): number {
  if (value === undefined) return otherwise;
  const number = /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw notAsExpected(name, `a whole number from ${least} to ${most}`, value);
}

function notAsExpected(name: string, expected: string, value: string): Fault {
  return new Fault(`${name} must be ${expected}; this is "${quoteText(value, QUOTED)}".`);
}
