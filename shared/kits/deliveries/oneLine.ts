// A text on one line, as messages and the terminal show it. Pure.

import { quoteText } from '../../text/cut.ts';
import { makeVisible } from '../../text/hiddenCharacters.ts';

export const MAX_LINE = 500;

/** The text on one line of at most `most` characters. */
export function oneLine(text: string, most: number): string {
  return quoteText(makeVisible(text).replace(/\s+/g, ' ').trim() || '(no title)', most - 1);
}
