// Cuts UTF-8 between characters. The only module that finds the start of a code point.

/**
 * The longest start of `text` that fits in `maxBytes` UTF-8 bytes, cut between code points; 0 or less leaves nothing.
 * Lone surrogates become U+FFFD.
 */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text.toWellFormed();
  return bytes.toString('utf8', 0, boundaryBefore(bytes, Math.max(0, maxBytes)));
}

/** The end of `text` that fits in `maxBytes` UTF-8 bytes, cut between code points. Lone surrogates become U+FFFD. */
export function endInBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text.toWellFormed();
  return bytes.toString('utf8', boundaryAfter(bytes, bytes.length - Math.max(0, maxBytes)));
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
