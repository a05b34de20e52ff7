// Trigrams of words, as PostgreSQL's pg_trgm has them, and how alike two texts are by them. Pure.
// https://www.postgresql.org/docs/current/pgtrgm.html

/** Characters of a text that are read. */
const MAX_TEXT = 100_000;
/** Maximum length of a word, in characters. Ignores the rest of a longer word. */
const MAX_WORD = 64;
const WORD = /[\p{L}\p{N}]+/gu;

/** The trigrams of a text, once, in order: of each word with two blanks before and one behind. */
export function listTrigrams(text: string, most = Number.POSITIVE_INFINITY): string[] {
  const found = new Set<string>();
  for (const [word] of text.slice(0, MAX_TEXT).toLowerCase().matchAll(WORD)) {
    const letters = [...`  ${word.slice(0, MAX_WORD)} `];
    for (let start = 0; start + 3 <= letters.length; start++) {
      found.add(letters.slice(start, start + 3).join(''));
      if (found.size >= most) return [...found];
    }
  }
  return [...found];
}

/** How alike two texts are: the trigrams they share, of all that either has. From 0 to 1. */
export function compareTrigrams(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const trigram of one) if (other.has(trigram)) shared += 1;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/**
 * How common letters are in English text, in per mille, with the blanks before and behind words; other
 * characters are rare. A knowledge base has no trigram counts, so these frequencies replace them.
 */
const COMMON: Record<string, number> = {
  ' ': 180,
  e: 102,
  t: 75,
  a: 65,
  o: 62,
  n: 57,
  i: 57,
  s: 53,
  r: 50,
  h: 50,
  l: 33,
  d: 33,
  u: 23,
  c: 22,
  m: 20,
  f: 18,
  w: 17,
  g: 16,
  p: 15,
  y: 14,
  b: 13,
  v: 8,
  k: 5,
  x: 1.4,
  j: 1,
  q: 0.8,
  z: 0.6,
};
const RARE = 2;

/** The trigrams that fewest other texts are likely to have, the rarest first. */
export function rarestTrigrams(trigrams: readonly string[], most: number): string[] {
  const chance = (trigram: string) =>
    [...trigram].reduce((product, letter) => product * (COMMON[letter] ?? RARE), 1);
  return [...trigrams].sort((a, b) => chance(a) - chance(b)).slice(0, most);
}
