// Long texts in pieces that fit a document.

/** Cuts `text` into pieces of at most `maxBytes` UTF-8 bytes (4 at least), never inside a character. Joined, they are `text`. */
export function splitText(text: string, maxBytes: number): string[] {
  const bytes = Buffer.from(text);
  const pieces: string[] = [];
  let start = 0;
  while (start < bytes.length) {
    let end = Math.min(start + maxBytes, bytes.length);
    // Continuation bytes are 10xxxxxx: step back to the start of the character.
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    pieces.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return pieces;
}
