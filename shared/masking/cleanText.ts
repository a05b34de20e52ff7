// Texts from outside as they are stored and shown.

import type { Masker } from '../core/contract/guard.ts';
import { makeVisible } from '../text/hiddenCharacters.ts';

/** The text without secrets, then with visible controls: signs that hide a secret stay known. */
export function cleanText(masker: Pick<Masker, 'mask'>, text: string): { text: string; count: number } {
  const masked = masker.mask(text);
  return { text: makeVisible(masked.text), count: masked.count };
}
