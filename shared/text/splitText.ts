// Splits a long text into pieces that fit a document.

import { boundaryBefore } from './utf8.ts';

/** Pieces of at most `maxBytes` UTF-8 bytes (4 at least), cut between code points. Joined, they are `text`. */
export function splitText(text: string, maxBytes: number): string[] {
  const bytes = Buffer.from(text);
  const pieces: string[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = boundaryBefore(bytes, Math.min(start + maxBytes, bytes.length));
    pieces.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return pieces;
}
