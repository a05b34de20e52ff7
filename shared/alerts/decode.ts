// The text that the bytes of a message are: UTF-8, or UTF-16 where a byte-order mark or zero bytes in every other place say so.

/** So many bytes are looked at to tell the encoding. */
const SAMPLE_BYTES = 1024;

/** The text of a message, without byte-order mark; bytes that are none in its encoding become U+FFFD. Never throws. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Text in UTF-16 that is mostly ASCII, such as any JSON: every other byte is zero, and the others are not.
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const pairs = Math.floor(sample.length / 2);
  if (pairs < 2) return 'utf-8';
  if (odd > pairs * 0.7 && even === 0) return 'utf-16le';
  return even > pairs * 0.7 && odd === 0 ? 'utf-16be' : 'utf-8';
}
