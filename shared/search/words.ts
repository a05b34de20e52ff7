// Finds the words of a query in texts, also where they are spelled a little differently. Pure.

import { listTrigrams, rarestTrigrams } from './trigrams.ts';

/** How many of the trigrams of a word another word must have to be nearly the same. */
const NEARLY = 0.7;
/** Letters of a word that is also found inside of longer ones. */
const MIN_PART = 3;
const WORD = /[\p{L}\p{N}]+/gu;

/** Words that a text must have, all of them. */
export interface WordQuery {
  /** Each word in lower case, once, with its trigrams. */
  words: { text: string; trigrams: readonly string[] }[];
  /** Trigrams of which each such text has at least one: at most 30. */
  anyOf: string[];
}

/** The word query of a text; undefined for a text without a letter or a digit. */
export function wordQuery(text: string): WordQuery | undefined {
  const texts = new Set(text.toLowerCase().match(WORD) ?? []);
  const words = [...texts].map((word) => ({ text: word, trigrams: listTrigrams(word) }));
  const longest = words.toSorted((a, b) => b.trigrams.length - a.trigrams.length)[0];
  return longest && { words, anyOf: chooseSelectiveTrigrams(longest) };
}

/**
 * Trigrams of which a similar word has at least one: a word without any of them differs too much. A text that
 * contains the whole word has the trigrams between its blanks.
 */
function chooseSelectiveTrigrams({ trigrams }: WordQuery['words'][number]): string[] {
  const mayLack = trigrams.length - Math.ceil(trigrams.length * NEARLY);
  const within = trigrams.filter((trigram) => !trigram.includes(' '));
  return [...new Set([...rarestTrigrams(trigrams, mayLack + 1), ...rarestTrigrams(within, 1)])];
}

/** Whether a text has all words of a query, each spelled nearly so, or as a part of a longer one. */
export function hasWords({ words }: WordQuery, whole: string): boolean {
  const found = new Set(whole.toLowerCase().match(WORD) ?? []);
  const others = [...found].map((text) => ({ text, trigrams: new Set(listTrigrams(text)) }));
  return words.every((word) =>
    others.some(({ text, trigrams }) => {
      if (word.text.length >= MIN_PART && text.includes(word.text)) return true;
      const shared = word.trigrams.filter((trigram) => trigrams.has(trigram)).length;
      return shared >= word.trigrams.length * NEARLY;
    }),
  );
}
