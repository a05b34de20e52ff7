// Positions in a text: Gemini counts in UTF-8 bytes, JavaScript in UTF-16 code units.

/**
 * A function from a byte offset into the UTF-8 form of `text` to the UTF-16 offset of the character that
 * holds the byte. Offsets at or beyond the end give `text.length`. A lone surrogate counts as the three bytes
 * of U+FFFD, as encoders write it.
 */
export function createUtf16Converter(text: string): (byteOffset: number) => number {
  // The start byte of each code unit's character; both halves of a pair have the same.
  const starts = new Float64Array(text.length);
  let bytes = 0;
  for (let index = 0; index < text.length; ) {
    const codePoint = text.codePointAt(index) ?? 0;
    starts[index] = bytes;
    if (codePoint > 0xffff) starts[index + 1] = bytes;
    index += codePoint > 0xffff ? 2 : 1;
    bytes += countUtf8Bytes(codePoint);
  }
  return (byteOffset) => (byteOffset >= bytes ? text.length : findCharacterStart(starts, byteOffset));
}

function countUtf8Bytes(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** The first code unit of the last character that starts at or before `byteOffset`. */
function findCharacterStart(starts: Float64Array, byteOffset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= byteOffset) low = middle;
    else high = middle;
  }
  return low > 0 && starts[low - 1] === starts[low] ? low - 1 : low;
}
