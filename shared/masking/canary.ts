// The canary of a session: digits that only its system prompts contain. Elsewhere, a prompt leaks.

import { createHmac } from 'node:crypto';
import { BARRIER } from './scan/views.ts';
import { compileStrings } from './searchMany.ts';

/** The kind of a canary in its mark. */
export const CANARY_KIND = 'canary';

const DIGITS = 32;
/** A part of the canary that is found, too: of any 24 digits in a row one of these windows is part. */
const WINDOW = 16;
const WINDOW_STEP = 8;
/** Most characters between characters of a canary: blanks, quotation marks, separators. No mark. */
const LONGEST_GAP = 8;
const BARRIER_CODE = BARRIER.charCodeAt(0);
const LINE_BREAK = 0x0a;

/** The canary of a session: 32 hexadecimal digits, which no mark and no other digest reveals. */
export function deriveCanary(sessionKey: string): string {
  return createHmac('sha256', `canary ${sessionKey}`).update('').digest('hex').slice(0, DIGITS);
}

/**
 * Calls `found` for each place of a text where the canary stands or a large part of it: in any case,
 * backwards, in hexadecimal or base64, and with signs between its characters.
 */
export function canarySearch(
  canary: string,
): (text: string, found: (start: number, end: number) => void) => void {
  const windows = Array.from({ length: (DIGITS - WINDOW) / WINDOW_STEP + 1 }, (_, index) =>
    canary.slice(index * WINDOW_STEP, index * WINDOW_STEP + WINDOW),
  );
  const hex = [canary, ...windows].flatMap((form) => [form, reversed(form), toHexText(form)]);
  const base64 = [canary, canary.toUpperCase()].flatMap(base64Forms);
  const forms = compileStrings([...hex, ...base64].map((form) => ({ form: form.toLowerCase() })));
  return (text, found) => {
    const { letters, places } = withoutGaps(text);
    const report = (index: number, { form }: { form: string }): void => {
      const [first, last] = [places[index] ?? 0, places[index + form.length - 1] ?? 0];
      let [start, end] = [first, last + 1];
      // The rest of the digits, where only a part was recognised.
      while (first - start < DIGITS && /[0-9A-Za-z+/=]/.test(text[start - 1] ?? '')) start--;
      while (end - last - 1 < DIGITS && /[0-9A-Za-z+/=]/.test(text[end] ?? '')) end++;
      found(start, end);
    };
    forms.search(letters, report, () => {});
  };
}

/**
 * The letters, in lower case, and digits of a text, and the place of each. Where the distance of two of them
 * is longer than a gap is allowed to be, there is a line break. This is no pattern with gaps: each session's
 * would be a megabyte of code.
 */
function withoutGaps(text: string): { letters: string; places: Int32Array } {
  const letters = new Uint8Array(2 * text.length);
  const places = new Int32Array(2 * text.length);
  let length = 0;
  let gap = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (!isLetterOrDigit(code)) {
      gap = code === BARRIER_CODE ? LONGEST_GAP + 1 : gap + 1;
      continue;
    }
    if (gap > LONGEST_GAP) letters[length++] = LINE_BREAK;
    gap = 0;
    places[length] = index;
    letters[length++] = code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
  }
  return { letters: Buffer.from(letters.buffer, 0, length).toString('latin1'), places };
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}
const reversed = (text: string): string => [...text].reverse().join('');
const toHexText = (text: string): string => Buffer.from(text).toString('hex');

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
