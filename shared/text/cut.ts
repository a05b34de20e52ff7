// Cuts text to a size, between characters. The only module that finds the start of a code point.
// `limitText.ts` also states the omitted amount.

/** A longer run of signs is no word, and is cut. */
const MAX_WORD = 400;
const LAST_WORD = new RegExp(`[^\\s"'\`<>(){}[\\],;|]{1,${MAX_WORD + 1}}$`);

/**
 * Where a text is cut. `characters`: after UTF-16 code units, one less where the cut would go through a
 * surrogate pair. `words`: the same, without the word that the cut would split, because a split secret is no
 * longer recognised as a secret; a single word is still cut. `bytes`: after bytes of UTF-8. `last bytes`: the
 * end is kept, not the start.
 */
type CutBy = 'characters' | 'words' | 'bytes' | 'last bytes';

/**
 * The longest part of `text` of at most `max` characters or bytes; 0 or less leaves nothing. By bytes, lone
 * surrogates become U+FFFD.
 */
export function cutText(text: string, max: number, by: CutBy = 'characters'): string {
  const room = Math.max(0, max);
  if (by === 'bytes' || by === 'last bytes') {
    const bytes = Buffer.from(text);
    if (bytes.length <= max) return text.toWellFormed();
    return by === 'bytes'
      ? bytes.toString('utf8', 0, boundaryBefore(bytes, room))
      : bytes.toString('utf8', boundaryAfter(bytes, bytes.length - room));
  }
  if (text.length <= max) return text;
  const cut = text.slice(0, isHighSurrogate(text.charCodeAt(room - 1)) ? room - 1 : room);
  if (by === 'characters') return cut;
  const [word = ''] = LAST_WORD.test(text[cut.length] ?? '') ? (LAST_WORD.exec(cut) ?? []) : [];
  return word.length > MAX_WORD || word.length === cut.length ? cut : cut.slice(0, cut.length - word.length);
}

/**
 * `text` when it has at most `max` characters; else its start and `…`: a name, or a piece of text from a
 * model, a server or a sender. @param by `words` for a text from which secrets have yet to be taken.
 */
export function quoteText(text: string, max: number, by: 'characters' | 'words' = 'characters'): string {
  return text.length <= max ? text : `${cutText(text, max, by)}…`;
}

/** Pieces of at most `max` characters or bytes (4 at least). Joined, they are `text`. */
export function splitText(text: string, max: number, by: 'characters' | 'bytes' = 'bytes'): string[] {
  const pieces: string[] = [];
  if (by === 'characters') {
    for (let left = text; left !== ''; left = left.slice(pieces.at(-1)?.length))
      pieces.push(cutText(left, max));
    return pieces;
  }
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; ) {
    const end = boundaryBefore(bytes, Math.min(start + max, bytes.length));
    pieces.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return pieces;
}

/** The nearest code point boundary at or before `index`, in bytes of UTF-8. */
export function boundaryBefore(bytes: Uint8Array, index: number): number {
  let boundary = index;
  while (boundary > 0 && isContinuation(bytes[boundary])) boundary--;
  return boundary;
}

/** The nearest code point boundary at or after `index`, in bytes of UTF-8. */
export function boundaryAfter(bytes: Uint8Array, index: number): number {
  let boundary = index;
  while (boundary < bytes.length && isContinuation(bytes[boundary])) boundary++;
  return boundary;
}

/** Continuation bytes are 10xxxxxx; every other byte starts a code point. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function isHighSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xd800 && codeUnit <= 0xdbff;
}
