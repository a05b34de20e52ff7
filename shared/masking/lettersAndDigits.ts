// The letters and digits of texts, in which secrets are looked for whatever stands between them.

import { withoutGaps } from './decodings.ts';

/** Fewest letters and digits of a secret; shorter sequences occur in any text without signs. */
const MIN_LENGTH = 12;

/** The letters, as small ones, and digits of a text. */
export const keepLettersAndDigits = (text: string): string =>
  withoutGaps(text)
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();

/** The text backwards. */
export const reversed = (text: string): string => [...text].reverse().join('');

/** Whether a secret has enough letters and digits to be looked for in a condensed text. */
export function isLongEnough(secret: string): boolean {
  const condensed = keepLettersAndDigits(secret);
  return condensed.length >= MIN_LENGTH && /\d/.test(condensed) && /\p{L}/u.test(condensed);
}

/** Letters and digits of secrets that have enough of them, forwards and backwards. */
export function secretsAsLettersAndDigits(secrets: readonly string[]): string[] {
  return secrets.filter(isLongEnough).flatMap(formsAsLettersAndDigits);
}

/** Letters and digits of a text, forwards and backwards. */
export function formsAsLettersAndDigits(text: string): string[] {
  const condensed = keepLettersAndDigits(text);
  return [condensed, reversed(condensed)];
}
