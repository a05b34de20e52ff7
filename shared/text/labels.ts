// How labels of alerts are stored: names and values on one line, limited in length. Pure.

import { quoteText } from './cut.ts';
import { makeVisible } from './hiddenCharacters.ts';

const MAX_LABEL_NAME = 100;
const MAX_LABEL_VALUE = 500;

/** `text` on one line, cut to at most `max` UTF-16 code units with the `…` that marks the cut. */
export function oneLine(text: string, max: number): string {
  const line = makeVisible(text).replace(/\s+/g, ' ').trim();
  return line.length <= max ? line : quoteText(line, max - 1);
}

/**
 * The name under which a label is stored; empty for one that is not stored. Firestore reserves names such as
 * `__name__`, so their leading and trailing underscores are removed.
 */
export function labelName(key: string): string {
  const name = oneLine(key, MAX_LABEL_NAME);
  return /^__.*__$/.test(name) || /^_+$/.test(name) ? name.replace(/^_+|_+$/g, '') : name;
}

/** The stored value of a label. */
export function labelValue(value: string): string {
  return oneLine(value, MAX_LABEL_VALUE);
}
