// Quotes text of any length in a message: a name, or a piece of text from a model, a server or a sender.

/** `text` when it has at most `maxCharacters`; else its start (see `cutToCharacters`) and `…`. */
export function quoteText(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${cutToCharacters(text, maxCharacters)}…`;
}

/** The same for a text from which secrets have yet to be taken (see `cutAfterWord`). */
export function quoteUnmasked(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${cutAfterWord(text, maxCharacters)}…`;
}

/** A longer run of signs is no word, and is cut. */
const MAX_WORD = 400;
const LAST_WORD = new RegExp(`[^\\s"'\`<>(){}[\\],;|]{1,${MAX_WORD + 1}}$`);

/**
 * The start of `text`, without the word that the cut at `maxCharacters` would split: a split secret is no longer recognised
 * as a secret. A single word is still cut.
 */
export function cutAfterWord(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const cut = cutToCharacters(text, maxCharacters);
  const [word = ''] = LAST_WORD.test(text[cut.length] ?? '') ? (LAST_WORD.exec(cut) ?? []) : [];
  return word.length > MAX_WORD || word.length === cut.length ? cut : cut.slice(0, cut.length - word.length);
}

/**
 * The start of `text`: at most `maxCharacters` UTF-16 code units, one less where the cut would go through a
 * surrogate pair. 0 or less leaves nothing.
 */
export function cutToCharacters(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const end = Math.max(0, maxCharacters);
  return text.slice(0, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end);
}

function isHighSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xd800 && codeUnit <= 0xdbff;
}
