// The values and names of an analysis, as its words mean them.

import { NAME_FORM } from './quote.ts';
import type { Token } from './tokens.ts';
import type { NumberValue, Value } from './values.ts';

/** Between two numbers with one unit: `95 to 246 MiB`, `118 of 192 GB`. */
const SHARES_UNIT = /^(?:of|to|and|or|-)$/;
/** Before a number that is rounded to its last digit but zeros: `about 40,000`. */
const ABOUT =
  /(?:\b(?:about|around|roughly|approximately|approx\.?|almost|nearly|over|some|more than|circa|ca\.?) |[~≈] ?)$/i;
/** The share of a number by which `about` can be wrong. */
const ABOUT_SHARE = 0.05;
/** Codes of HTTP, of which several are no seconds: `500s`. */
const CODES = /^[1-5]\d\ds$/;

/** The value of a token: one without a unit has that of the next one, with which it is a range or a part. */
export function readValue(tokens: readonly Token[], index: number, text: string): Value | undefined {
  const [token, between, next] = tokens.slice(index, index + 3) as [Token, Token?, Token?];
  const [own, other] = [token.value, next?.value];
  if (own?.kind !== 'number') return own;
  if (CODES.test(text.slice(token.start, token.end))) return { ...own, measure: '', factors: [1] };
  const sharesUnit = own.measure === '' && other?.kind === 'number' && SHARES_UNIT.test(between?.word ?? '');
  const value = sharesUnit ? { ...own, measure: other.measure, factors: other.factors } : own;
  return ABOUT.test(text.slice(Math.max(0, token.start - 15), token.start)) ? roughly(value) : value;
}

/** A number that is rounded to its last digit but zeros. */
export function roughly<T extends Value>(value: T): T {
  return value.kind === 'number' ? { ...value, half: roughHalf(value) } : value;
}

/** Half of the last written unit, or of the last digit but zeros. */
export function roughHalf({ number, half }: NumberValue): number {
  const zeros = /0*$/.exec(number.toFixed(0))?.[0].length ?? 0;
  return Math.max(half, Math.min(0.5 * 10 ** zeros, number * ABOUT_SHARE));
}

/** `1.42.0`, `10.8.2.41`. */
const VERSION = /^\d+(?:\.\d+){2,}$/;
/** `95th`, `p95`, `5xx`. */
const NO_NAME = /^(?:\d+(?:st|nd|rd|th)|p\d{2,3}|[1-5]xx)$/i;
/** Words of two that are no name: `crash-free`, `used-up`, `non-zero`, `read-only`. */
const COMPOUND =
  /^(?:non|re|pre|post|self|un|co|multi|cross|single|long|short|high|low|well|half|read|write|end|mid|on|in|out|up)-\p{Ll}+$|^\p{Ll}+-(?:\p{Ll}+(?:ed|ing)|free|only|wide|level|side|based|like|long|up|off|down|letter)$/u;

/** Whether a word is a name by its form. */
export const isName = (word: string): boolean =>
  !NO_NAME.test(word) &&
  !COMPOUND.test(word.slice(0, 1).toLowerCase() + word.slice(1)) &&
  (NAME_FORM.test(word) || VERSION.test(word));
