// Ranks tools by a query's words: BM25 over name, description and parameters, weighted. Pure.

import type { ToolDefinition } from '../core/contract/tools.ts';
import { asObject, asText } from '../text/json.ts';

/** Saturation and length normalisation, as usual for BM25. */
const K1 = 1.2;
const B = 0.5;
/** Weights of a word by its place. */
const WEIGHTS = { name: 4, server: 2, description: 1.5, parameter: 1, parameterText: 0.5 };
/** A word that only starts like one of the query: `deployments` and `deploy`. */
const PREFIX_WEIGHT = 0.5;
const MIN_PREFIX = 4;
const WORD = /\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu;
/** Words that queries have and that distinguish no tool. */
const STOP_WORDS = new Set(
  'a an and are at be by can do for from had has have how i in into is it its me my of on or our that the their there these this to was we were what when where which who why with'.split(
    ' ',
  ),
);

/** A tool with the weights of its words. */
interface IndexedTool {
  tool: ToolDefinition;
  words: ReadonlyMap<string, number>;
  length: number;
}

/** The tools that have words of the query, the best match first; equal ones in their order. */
export function rankTools(query: string, tools: readonly ToolDefinition[]): ToolDefinition[] {
  const indexed = tools.map(indexTool);
  const average = indexed.reduce((sum, { length }) => sum + length, 0) / Math.max(1, indexed.length);
  const wanted = [...new Set(splitStemmedWords(query))];
  const frequencies = wanted.map((word) => indexed.filter((one) => weighWord(word, one) > 0).length);
  const score = (one: IndexedTool): number =>
    wanted.reduce((sum, word, index) => {
      const weight = weighWord(word, one);
      if (weight === 0) return sum;
      const found = frequencies[index] ?? 0;
      const rarity = Math.log(1 + (indexed.length - found + 0.5) / (found + 0.5));
      const saturated = (weight * (K1 + 1)) / (weight + K1 * (1 - B + (B * one.length) / average));
      return sum + rarity * saturated;
    }, 0);
  return indexed
    .map((one) => ({ tool: one.tool, score: score(one) }))
    .filter((one) => one.score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ tool }) => tool);
}

/** A definition is the same object while its server's list is, so it is read once. */
const known = new WeakMap<ToolDefinition, IndexedTool>();

function indexTool(tool: ToolDefinition): IndexedTool {
  const found = known.get(tool);
  if (found !== undefined) return found;
  const words = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of splitStemmedWords(text)) words.set(word, (words.get(word) ?? 0) + weight);
  };
  const [server = '', ...rest] = tool.name.split('.');
  add(server, WEIGHTS.server);
  add(rest.join('.'), WEIGHTS.name);
  add(tool.description, WEIGHTS.description);
  for (const [name, schema] of Object.entries(asObject(tool.inputSchema.properties))) {
    add(name, WEIGHTS.parameter);
    add(asText(asObject(schema).description) ?? '', WEIGHTS.parameterText);
  }
  const length = [...words.values()].reduce((sum, weight) => sum + weight, 0);
  const indexed = { tool, words, length };
  known.set(tool, indexed);
  return indexed;
}

function weighWord(word: string, { words }: IndexedTool): number {
  const exact = words.get(word);
  if (exact !== undefined) return exact;
  let best = 0;
  for (const [other, weight] of words) {
    const [short, long] = other.length < word.length ? [other, word] : [word, other];
    if (short.length >= MIN_PREFIX && long.startsWith(short)) best = Math.max(best, weight * PREFIX_WEIGHT);
  }
  return best;
}

/** The words of a text in lower case, without endings: `podsLog` has `pod` and `log`. */
function splitStemmedWords(text: string): string[] {
  return (text.match(WORD) ?? [])
    .map((word) => stemWord(word.toLowerCase()))
    .filter((word) => word.length > 1 && !STOP_WORDS.has(word));
}

/** The word without the usual endings of plurals and verbs. */
function stemWord(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 3 && /[^s]s$/.test(word)) return word.slice(0, -1);
  return word;
}
