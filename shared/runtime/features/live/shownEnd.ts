// What people are shown of a text that a model is still writing.

import { cleanText } from '../../../masking/cleanText.ts';
import { finishedPart } from '../../../masking/finishedPart.ts';
import type { Masker } from '../../../masking/masker.ts';
import { endInBytes } from '../../../text/utf8.ts';
import { safeText } from '../../kernel/tools/refuseTaint.ts';

/** UTF-8 bytes of a text that are shown: of a longer one its end. */
const MAX_BYTES = 20_000;

/** The end of a text. */
export interface ShownEnd {
  text: string;
  /** UTF-16 units that are left out before it. */
  start: number;
}

/**
 * The text as it would be stored, as far as nothing that follows can make a secret of it. All of it is masked each time:
 * what was said long ago may be part of what is said now.
 */
export function shownEnd(said: string, masker: Masker): ShownEnd {
  const finished = finishedPart(safeText(cleanText(masker, said).text, masker));
  const text = endInBytes(finished, MAX_BYTES);
  return { text, start: finished.length - text.length };
}
