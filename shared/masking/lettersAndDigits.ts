// The letters and digits of texts, in which secrets are looked for whatever stands between them.

import { withoutGaps } from './decodings.ts';

/** Fewest letters and digits of a secret; shorter sequences occur in any text without signs. */
const SQUEEZED_LENGTH = 12;

/** The letters, as small ones, and digits of a text. */
export const squeeze = (text: string): string =>
  withoutGaps(text)
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();

/** The text backwards. */
export const reversed = (text: string): string => [...text].reverse().join('');

/** Whether a secret has enough letters and digits to be looked for in a squeezed text. */
export function isLongEnough(secret: string): boolean {
  const squeezed = squeeze(secret);
  return squeezed.length >= SQUEEZED_LENGTH && /\d/.test(squeezed) && /\p{L}/u.test(squeezed);
}

/** Letters and digits of secrets that have enough of them, forwards and backwards. */
export function squeezedSecrets(secrets: readonly string[]): string[] {
  return secrets.filter(isLongEnough).flatMap(squeezedForms);
}

/** Letters and digits of a text, forwards and backwards. */
export function squeezedForms(text: string): string[] {
  const squeezed = squeeze(text);
  return [squeezed, reversed(squeezed)];
}
