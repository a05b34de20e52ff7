// The words of a text, shortened to compare them.

import type { Token } from './tokens.ts';

/** Letters of a word that are compared: `restarts` is `restart`. */
const STEM = 5;
/** Tokens beside a value of the analysis whose words identify it. */
const BESIDE = 11;

/** Words and names of tokens, shortened to compare them. */
export function stemTokens(tokens: readonly Token[]): Set<string> {
  return new Set(
    tokens.flatMap(({ word }) => {
      const known = STEMS.get(word);
      if (known !== undefined) return known;
      const words = word
        .replaceAll(HUMP, '$1 ')
        .toLowerCase()
        .split(/[^\p{L}]+/u)
        .filter((one) => one.length > 1 && !STOP_WORDS.has(one));
      const stems = words.map((one) => one.replace(ENDING, '').replace(/y$/, 'i').slice(0, STEM));
      if (/\d/.test(word)) stems.unshift(word.toLowerCase());
      if (STEMS.size >= MOST_STEMS) STEMS.clear();
      STEMS.set(word, stems);
      return stems;
    }),
  );
}

/** The stems of words: results repeat theirs. */
const STEMS = new Map<string, readonly string[]>();
const MOST_STEMS = 20_000;

/** `uses` and `used` are `use`, `waiting` is `wait`, `closed` and `close` are one. */
const ENDING = /(?<=\p{L}{3})(?:e?s|ed|ing|e)$|(?<=\p{L}[^e\P{L}]e)d$/u;

/** Before a capital within a word: `userCount`, `OOMKilled`. */
const HUMP = /(\p{Ll}(?=\p{Lu})|\p{Lu}(?=\p{Lu}\p{Ll}))/gu;

/** Words without information about a value. */
const STOP_WORDS = new Set(
  'is of to in at on by an as be it or if no so we us he me my do go am the and for was were has had have with from that this its are but not all than then into each which when only after before since until per out one two info about over under more less'.split(
    ' ',
  ),
);

/** The stems around a token of the analysis, within its sentence. */
export function stemsAround(tokens: readonly Token[], index: number, text: string): ReadonlySet<string> {
  const near = tokens.slice(Math.max(0, index - BESIDE), index + BESIDE + 1);
  const at = tokens[index]?.start ?? 0;
  const isSameSentence = ({ start, end }: Token): boolean =>
    !/[.;!?]\s|\n\s*\n/.test(start < at ? text.slice(end, at) : text.slice(at, start));
  return stemTokens(near.filter(isSameSentence));
}
