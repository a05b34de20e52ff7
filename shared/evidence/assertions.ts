// The assertions of an analysis beside its values: rise and fall, states, and claims of cause.

import { toBaseAmount } from './derivedNumbers.ts';
import type { Assertion } from './markUnchecked.ts';
import type { Find } from './matchValue.ts';
import { readMisattributedValues } from './misattributedValues.ts';
import { readStates } from './states.ts';
import { stemTokens } from './stems.ts';
import type { Token } from './tokens.ts';
import { isWord, tokenizeText } from './tokens.ts';
import { type NumberValue, numberAt } from './values.ts';

const RISE =
  /^(?:ris(?:es?|en|ing)|rose|gr[eo]w(?:s|n|ing)?|(?:climb|increas|jump|surg|soar|spik|rais|doubl|tripl|quadrupl|multipl|expand|rocket|skyrocket|explod|escalat|accelerat)\p{L}*|shot|up|higher)$/iu;
const FALL =
  /^(?:f[ae]ll(?:s|en|ing)?|(?:drop|declin|decreas|plummet|plung|collaps|reduc|lower|halv|slump|reced|dwindl|dip)\p{L}*|shr[aiu]nk(?:s|ing)?|s[aiu]nk(?:s|ing)?|down)$/iu;
/** `dried up` is no rise. */
const PARTICLE = /^(?:up|down)$/i;
const GOES =
  /^(?:go(?:es|ne|ing)?|went|is|are|was|were|moved?|c[ao]me|ran|runs?|back|further|trend(?:s|ed|ing)?)$/i;

const CAUSE =
  /\b(?:caused by|because of|due to|(?:as )?a (?:result|consequence) of|owing to|triggered by)\b/giu;

/** Tokens of the longest sentence that is read. */
const MOST_TOKENS = 300;

/** Reads the assertions of a prepared analysis. @param covered the causes of the verdict, in words. */
export function readAssertions(text: string, find: Find, covered: readonly string[]): Assertion[] {
  const sentences = text.split(/(?<=[.!?])\s+|\n/);
  let from = 0;
  return sentences.flatMap((sentence) => {
    const offset = text.indexOf(sentence, from);
    from = offset + sentence.length;
    const split = tokenizeText(sentence);
    const { tokens } = split;
    if (tokens.length > MOST_TOKENS) return [];
    const found = [
      ...readTrends(tokens),
      ...readStates(split, find),
      ...readMisattributedValues(tokens, find),
      ...readCauses(sentence, covered),
    ];
    return found.map((one) => ({ ...one, start: one.start + offset, end: one.end + offset }));
  });
}

/** Claims of cause that the verdict does not cover, outside quotes. */
function readCauses(sentence: string, covered: readonly string[]): Assertion[] {
  const stems = stemTokens(tokenizeText(covered.join(' ')).tokens);
  return [...sentence.matchAll(CAUSE)].flatMap(({ index, 0: words }) => {
    const isQuoted = /^\s*>/.test(sentence) || (sentence.slice(0, index).split('"').length - 1) % 2 === 1;
    const [phrase = ''] = sentence.slice(index + words.length).split(/[,;:.)]+(?=\s|$)/, 1);
    const end = index + words.length + phrase.length;
    const isCovered = [...stemTokens(tokenizeText(phrase).tokens.filter(isWord))].some((stem) =>
      stems.has(stem),
    );
    return isQuoted || isCovered
      ? []
      : [{ kind: 'cause' as const, state: 'claim' as const, start: index, end }];
  });
}

const readTokenNumber = ({ value, word }: Token): NumberValue | undefined =>
  value?.kind === 'number' ? value : word === 'zero' ? numberAt('0', 0)?.value : undefined;

/** A rise that is called a fall, or a fall that is called a rise: between two values. */
function readTrends(tokens: readonly Token[]): Assertion[] {
  if (tokens.some(({ word }) => /^(?:not|never|without)$/i.test(word))) return [];
  const after = (preposition: RegExp): { number: NumberValue; at: number } | undefined => {
    for (const [at, { word }] of tokens.entries()) {
      if (!preposition.test(word) || tokens[at + 1]?.value?.kind === 'time') continue;
      const number = tokens
        .slice(at + 1, at + 5)
        .map(readTokenNumber)
        .find((one) => one !== undefined);
      if (number !== undefined) return { number, at };
    }
    return undefined;
  };
  const [first, last] = [after(/^from$/i)?.number, after(/^(?:to|->|→)$/i)];
  if (last === undefined) return [];
  const isVerb = ({ word }: Token, index: number): boolean =>
    (RISE.test(word) || FALL.test(word)) &&
    (!PARTICLE.test(word) || GOES.test(tokens[index - 1]?.word ?? ''));
  const verb = tokens.slice(0, last.at).findLast(isVerb) ?? tokens.find(isVerb);
  if (verb === undefined || isJoined(tokens, tokens.indexOf(verb))) return [];
  const isRise = first && isMore(last.number, first);
  if (isRise === undefined || isRise === RISE.test(verb.word)) return [];
  return [{ kind: 'direction', state: 'contradicted', start: verb.start, end: verb.end }];
}

/** `climbs and falls from 2 to 9`: a verb that is joined to one of the other direction states none. */
function isJoined(tokens: readonly Token[], verb: number): boolean {
  const other = RISE.test(tokens[verb]?.word ?? '') ? FALL : RISE;
  const isBehindAnd = /^(?:and|or|then)$/i.test(tokens[verb - 1]?.word ?? '');
  return isBehindAnd && tokens.slice(0, verb).some(({ word }) => other.test(word) && !PARTICLE.test(word));
}

/** Whether a number is more than one of the same quantity; undefined where that is not known. */
function isMore(last: NumberValue, first: NumberValue): boolean | undefined {
  if (first.measure !== last.measure && first.measure !== '' && last.measure !== '') return undefined;
  const { measure, factors } = first.measure === '' ? last : first;
  const difference = toBaseAmount(last) - toBaseAmount({ ...first, measure, factors });
  return difference === 0 ? undefined : difference > 0;
}
