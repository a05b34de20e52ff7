// The part of a streaming text that people see.

import { safeText } from '../../../masking/answer/refuseTaint.ts';
import { cleanText } from '../../../masking/cleanText.ts';
import { finishedPart } from '../../../masking/finishedPart.ts';
import type { Masker } from '../../../masking/masker.ts';
import { endInBytes } from '../../../text/utf8.ts';

/** Limit of the shown text, in UTF-8 bytes: a longer text shows its end. */
const MAX_BYTES = 20_000;

/** The end of a text. */
export interface ShownEnd {
  /** At most 20,000 bytes of UTF-8, masked. */
  text: string;
  /** Number of UTF-16 units that are omitted before it. */
  start: number;
}

/**
 * Returns the text as it would be stored, without an end that the next characters could turn into a secret. The whole text
 * is masked each time, because a secret can span old and new parts.
 */
export function shownEnd(streamed: string, masker: Masker): ShownEnd {
  const finished = finishedPart(safeText(cleanText(masker, streamed).text, masker));
  const text = endInBytes(finished, MAX_BYTES);
  return { text, start: finished.length - text.length };
}
