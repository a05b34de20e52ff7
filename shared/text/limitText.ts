// Cuts a tool result to what may be stored and sent, and says in the text how much is missing.

import { boundaryAfter, boundaryBefore, cutToBytes } from './utf8.ts';

/** Share of the bytes that goes to the beginning; the end is kept too, because errors and totals are often there. */
const HEAD_SHARE = 0.75;

/** A text after `limitText`. */
interface LimitedText {
  content: string;
  /** Whether anything was left out. */
  truncated: boolean;
}

/**
 * Cuts `text` to at most `maxBytes` UTF-8 bytes, between code points. The beginning (three quarters) and the end
 * (one quarter) are kept around a line that says how much is missing; when not even that line fits, only the
 * beginning is kept. Lone surrogates become U+FFFD, so that the result is always valid Unicode.
 * @param maxBytes the limit in UTF-8 bytes; 0 or less leaves nothing.
 */
export function limitText(text: string, maxBytes: number): LimitedText {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { content: text.toWellFormed(), truncated: false };
  return { content: limitBytes(bytes, maxBytes), truncated: true };
}

/** The text of more than `maxBytes` bytes of UTF-8, cut as `limitText` cuts it. */
export function limitBytes(bytes: Buffer, maxBytes: number): string {
  const room = maxBytes - marker(bytes.length, bytes.length).length;
  if (room < 0) return decode(bytes, 0, boundaryBefore(bytes, Math.max(0, maxBytes)));

  const headEnd = boundaryBefore(bytes, Math.floor(room * HEAD_SHARE));
  const tailStart = boundaryAfter(bytes, bytes.length - (room - headEnd));
  return (
    decode(bytes, 0, headEnd) +
    marker(tailStart - headEnd, bytes.length) +
    decode(bytes, tailStart, bytes.length)
  );
}

/**
 * The beginning of `text`: at most `maxBytes` UTF-8 bytes, with a line at its end that says how much is missing.
 * @param totalBytes size of the whole, when `text` is the head of something longer.
 */
export function limitHead(text: string, maxBytes: number, totalBytes = Buffer.byteLength(text)): string {
  if (totalBytes <= maxBytes) return text.toWellFormed();
  const mark = (left: number) => marker(left, totalBytes).trimEnd();
  const head = cutToBytes(text, maxBytes - mark(totalBytes).length);
  // Where not even the line fits, a cut text is worth more than a cut line.
  return head === '' ? cutToBytes(text, maxBytes) : head + mark(totalBytes - Buffer.byteLength(head));
}

/** The line between beginning and end. ASCII, so that its length in characters is its size in bytes. */
function marker(left: number, total: number): string {
  return `\n[... ${left} of ${total} bytes left out ...]\n`;
}

function decode(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end);
}
