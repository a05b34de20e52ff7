// Cuts a tool result to the size that can be stored and sent, and notes the omitted amount in the text.

import { boundaryAfter, boundaryBefore, cutText } from './cut.ts';
import { leftOutLine } from './omissionNote.ts';

/** The start's share of the bytes. The end is also kept: it often has errors and totals. */
const HEAD_SHARE = 0.75;

/** A text after `limitText`. */
interface LimitedText {
  /** The text, well-formed, within the limit. */
  content: string;
  /** Whether anything was omitted. */
  truncated: boolean;
}

/**
 * Cuts `text` to at most `maxBytes` UTF-8 bytes, between code points. Keeps the start (three quarters) and
 * the end (one quarter) around a line with the omitted amount. When not even that line fits, keeps only the
 * start. Lone surrogates become U+FFFD, so that the result is always valid Unicode.
 * @param maxBytes the limit in UTF-8 bytes; 0 or less leaves nothing.
 */
export function limitText(text: string, maxBytes: number): LimitedText {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { content: text.toWellFormed(), truncated: false };
  return { content: limitBytes(bytes, maxBytes), truncated: true };
}

/** The text of more than `maxBytes` bytes of UTF-8, cut as `limitText` cuts it. */
export function limitBytes(bytes: Buffer, maxBytes: number): string {
  const room = maxBytes - omissionLine(bytes.length, bytes.length).length;
  if (room < 0) return decodeUtf8(bytes, 0, boundaryBefore(bytes, Math.max(0, maxBytes)));

  const headEnd = boundaryBefore(bytes, Math.floor(room * HEAD_SHARE));
  const tailStart = boundaryAfter(bytes, bytes.length - (room - headEnd));
  return (
    decodeUtf8(bytes, 0, headEnd) +
    omissionLine(tailStart - headEnd, bytes.length) +
    decodeUtf8(bytes, tailStart, bytes.length)
  );
}

/**
 * The start of `text`: at most `maxBytes` UTF-8 bytes, followed by a line with the omitted amount.
 * @param totalBytes size of the whole, when `text` is the head of something longer.
 */
export function limitHead(text: string, maxBytes: number, totalBytes = Buffer.byteLength(text)): string {
  if (totalBytes <= maxBytes) return text.toWellFormed();
  const mark = (left: number) => omissionLine(left, totalBytes).trimEnd();
  const head = cutText(text, maxBytes - mark(totalBytes).length, 'bytes');
  // Where not even the line fits, a cut text is worth more than a cut line.
  return head === '' ? cutText(text, maxBytes, 'bytes') : head + mark(totalBytes - Buffer.byteLength(head));
}

/** The line between start and end. */
function omissionLine(left: number, total: number): string {
  return `\n${leftOutLine(left, total)}\n`;
}

function decodeUtf8(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end);
}
