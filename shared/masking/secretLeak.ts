// Whether a text would carry out a secret, its mark or the canary, however it is written.

import type { SecretLeak } from '../core/contract/guard.ts';
import { CANARY_KIND } from './canary.ts';
import { listDecodings, withoutGaps } from './decodings.ts';
import { formsAsLettersAndDigits, keepLettersAndDigits } from './lettersAndDigits.ts';
import { createSecretFreeTexts } from './secretFreeTexts.ts';

/** The secrets of the session that texts are searched for. */
interface LeakOptions {
  /** Known secrets, from `secretsAsLettersAndDigits`. */
  condensed: readonly string[];
  /** The canary of the session; undefined without one. */
  canary: string | undefined;
  /** Counts the findings of masking in a text, by kind. */
  kindsIn: (text: string) => Readonly<Record<string, number>>;
}

/** A mark, whole or without its brackets. */
const ANY_MARK = /\[masked:|masked:[a-z][a-z0-9-]{0,40}#[0-9a-f]{6}/i;

/**
 * Makes the check of a session. It looks through escapes, base64 and hexadecimal, three levels deep; ignores
 * blanks, invisible characters, signs between the characters and upper case; and reads backwards. A text with
 * too many decodings is a leak. Unlike masking it does not report the place. A mark is reported only if the
 * text holds nothing worse.
 */
export function createLeakCheck({
  condensed: secrets,
  canary,
  kindsIn,
}: LeakOptions): (text: string) => SecretLeak | undefined {
  const canaries = canary === undefined ? [] : formsAsLettersAndDigits(canary);
  const check = (text: string): SecretLeak | undefined => {
    const condensed = keepLettersAndDigits(text);
    if (canaries.some((form) => condensed.includes(form))) return 'canary';
    const kinds = kindsIn(text);
    if (kinds[CANARY_KIND] !== undefined) return 'canary';
    if (Object.keys(kinds).length > 0 || secrets.some((form) => condensed.includes(form))) return 'secret';
    return ANY_MARK.test(withoutGaps(text)) ? 'mark' : undefined;
  };
  const search = (text: string): SecretLeak | undefined => {
    const found = check(text);
    if (found === 'canary' || found === 'secret') return found;
    const decoded = listDecodings(text);
    if (decoded === undefined) return 'secret';
    let isMarked = found === 'mark';
    for (const one of decoded) {
      const inside = check(one);
      if (inside === 'canary' || inside === 'secret') return inside;
      isMarked ||= inside === 'mark';
    }
    return isMarked ? 'mark' : undefined;
  };
  const clean = createSecretFreeTexts();
  return (text) => {
    if (clean.has(text)) return undefined;
    const leak = search(text);
    if (leak === undefined) clean.add(text);
    return leak;
  };
}
