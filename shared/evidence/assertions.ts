// The assertions of an analysis beside its values: rise and fall, states, and claims of cause.

import type { Assertion } from './markUnchecked.ts';
import type { Find } from './matchValue.ts';
import { readMisattributedValues } from './misattributedValues.ts';
import { readStates } from './states.ts';
import { stemTokens } from './stems.ts';
import { isWord, tokenizeText } from './tokens.ts';
import { readTrends } from './trends.ts';

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
