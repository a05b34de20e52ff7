// Quotes text of any length in a message: a name, or a piece of what a model, a server or a sender wrote.

/** `text` when it has at most `maxCharacters`; else its beginning (see `cutToCharacters`) and `…`. */
export function quote(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${cutToCharacters(text, maxCharacters)}…`;
}

/**
 * The beginning of `text`: at most `maxCharacters` UTF-16 code units, one less where the cut would go through a
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
