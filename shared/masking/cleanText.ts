// Texts from outside as they are stored and shown.

import { makeVisible } from '../text/visible.ts';
import type { Masker } from './masker.ts';

/** The text without secrets, and then with all that it holds visible: the signs that hide a secret are still known to be signs. */
export function cleanText(masker: Pick<Masker, 'mask'>, text: string): { text: string; count: number } {
  const masked = masker.mask(text);
  return { text: makeVisible(masked.text), count: masked.count };
}
