// The canary of a session: digits that its system prompts hold and nothing else does. Where they turn up, a prompt leaks.

import { createHmac } from 'node:crypto';
import { BARRIER } from './views.ts';

/** What a canary is called in its mark. */
export const CANARY_KIND = 'canary';

const DIGITS = 32;
/** A part of the canary that is found, too: of any 24 digits in a row one of these windows is part. */
const WINDOW = 16;
const WINDOW_STEP = 8;
/** Signs that may stand between two characters: blanks, quotation marks, what separates words. No mark. */
const GAP = `[^0-9A-Za-z${BARRIER}]{0,8}`;

/** The canary of a session: 32 hexadecimal digits. No mark and no other digest of the key tells anything of them. */
export function canaryOf(sessionKey: string): string {
  return createHmac('sha256', `canary ${sessionKey}`).update('').digest('hex').slice(0, DIGITS);
}

/**
 * Calls `found` for each place of a text where the canary stands or a large part of it: in any case, backwards, in
 * hexadecimal or base64, and with signs between its characters.
 */
export function canarySearch(
  canary: string,
): (text: string, found: (start: number, end: number) => void) => void {
  const windows = Array.from({ length: (DIGITS - WINDOW) / WINDOW_STEP + 1 }, (_, index) =>
    canary.slice(index * WINDOW_STEP, index * WINDOW_STEP + WINDOW),
  );
  const hex = [canary, ...windows].flatMap((form) => [form, reversed(form), hexOf(form)]);
  const base64 = [canary, canary.toUpperCase()].flatMap(base64Forms);
  const patterns = [
    new RegExp(hex.map(spaced).join('|'), 'gi'),
    new RegExp(base64.map(spaced).join('|'), 'g'),
  ];
  return (text, found) => {
    for (const pattern of patterns) {
      for (const { index, 0: match } of text.matchAll(pattern)) {
        let [start, end] = [index, index + match.length];
        // The rest of the digits, where only a part was recognised.
        while (index - start < DIGITS && /[0-9A-Za-z+/=]/.test(text[start - 1] ?? '')) start--;
        while (end - index - match.length < DIGITS && /[0-9A-Za-z+/=]/.test(text[end] ?? '')) end++;
        found(start, end);
      }
    }
  };
}

const reversed = (text: string): string => [...text].reverse().join('');
const hexOf = (text: string): string => Buffer.from(text).toString('hex');
const spaced = (form: string): string => [...form].join(GAP);

/** Base64 at any place of a longer text. That of digits and letters has neither plus nor slash. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)])
      .toString('base64')
      .replace(/=+$/, '');
    // The characters at the ends hold bits of their neighbours.
    return encoded.slice([0, 2, 3][offset], -1);
  });
}
