// Whether texts that leave one after the other hold a known secret or the canary together, which none of them
// holds: its halves in two calls.

import { listDecodings } from './decodings.ts';
import { isLongEnough, keepLettersAndDigits, reversed } from './lettersAndDigits.ts';
import { createSecretFreeTexts } from './secretFreeTexts.ts';

/** Parts are looked up by so many letters and digits. */
const GRAM = 6;
/** The minimum share of a form in a part. Words that secrets and texts share are rarely that long. */
const PART_SHARE = 0.25;
/** The share of the canary that is too much: nothing else has its digits. Of a secret it is the whole. */
const CANARY_SHARE = 0.75;

/** Characters on either side of the place where two texts meet that are read as one text. */
const JOINED = 8192;

/** A way in which a secret can be written, without the signs between its letters and digits. */
interface Form {
  /** Its letters and digits. */
  form: string;
  /** Shortest part that counts. */
  part: number;
  /** So many of its characters must have left. */
  enough: number;
}

/** Ways in which secrets can be written, with places in them by the characters that stand there. */
export type SpreadForms = ReadonlyMap<string, readonly { of: Form; at: number }[]>;

/** Forms of known secrets with enough letters and digits: plain, base64, hexadecimal, and backwards. */
export function spreadForms(secrets: readonly string[], share = 1): SpreadForms {
  const grams = new Map<string, { of: Form; at: number }[]>();
  const forms = new Set(secrets.filter(isLongEnough).flatMap(listSecretForms));
  for (const form of forms) {
    const part = Math.max(GRAM, Math.ceil(form.length * PART_SHARE));
    const of = { form, part, enough: Math.ceil(form.length * share) };
    // Each part holds one of these places whole.
    for (let at = 0; at + GRAM <= form.length; at += part - GRAM + 1) {
      const gram = form.slice(at, at + GRAM);
      grams.set(gram, [...(grams.get(gram) ?? []), { of, at }]);
    }
  }
  return grams;
}

/** The forms of a session's canary. */
export const canaryForms = (canary: string): SpreadForms => spreadForms([canary], CANARY_SHARE);

function listSecretForms(secret: string): string[] {
  const written = [secret, ...encodeBase64Shifts(secret), Buffer.from(secret).toString('hex')].map(
    keepLettersAndDigits,
  );
  return written.filter((form) => form.length >= 2 * GRAM).flatMap((form) => [form, reversed(form)]);
}

/** Base64 at any place of a longer text, without characters at its ends with bits of neighbours. */
function encodeBase64Shifts(secret: string): string[] {
  return [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const encoded = bytes.toString('base64').replace(/=+$/, '');
    return encoded.slice([0, 2, 3][offset], bytes.length % 3 === 0 ? undefined : -1);
  });
}

/** The known strings. `condensed`: letters and digits of secrets and canary, forwards and backwards. */
interface TogetherOptions {
  /** Letters and digits of each known string. */
  condensed: readonly string[];
  /** The forms in which parts of them are found; made at the first use. */
  forms: () => readonly SpreadForms[];
}

/**
 * Makes the check: whether `texts`, behind those that left `earlier`, complete a secret. They do if the texts
 * hold it one behind the other (in all encodings that the check reads), or if they hold parts of it in any
 * order with anything between them, each a quarter of it or more. A secret that earlier texts hold without
 * the later ones does not count.
 */
export function createSplitLeakCheck({
  condensed,
  forms,
}: TogetherOptions): (earlier: readonly string[], texts: readonly string[]) => boolean {
  const clean = createSecretFreeTexts();
  const holds = (text: string): boolean => {
    if (clean.has(text)) return false;
    const isFound = listCondensedViews(text).some((view) => condensed.some((form) => view.includes(form)));
    if (!isFound) clean.add(text);
    return isFound;
  };
  return (earlier, texts) => {
    const [left, right] = [earlier.join('\n').slice(-JOINED), texts.join('\n').slice(0, JOINED)];
    if (holds(`${left}\n${right}`) && !holds(left)) return true;
    const later = partsIn(texts, forms());
    if (later.size === 0) return false;
    const before = partsIn(earlier, forms());
    return [...later].some(
      ([form, parts]) => countCoveredCharacters([...parts, ...(before.get(form) ?? [])]) >= form.enough,
    );
  };
}

/** A text and its decodings. A text with too many of them makes its own call a leak. */
const listCondensedViews = (text: string): string[] =>
  [text, ...(listDecodings(text) ?? [])].map(keepLettersAndDigits);

type Range = [start: number, end: number];

function partsIn(texts: readonly string[], all: readonly SpreadForms[]): Map<Form, Range[]> {
  const found = new Map<Form, Range[]>();
  for (const view of new Set(texts.flatMap(listCondensedViews))) {
    for (let index = 0; index + GRAM <= view.length; index++) {
      const gram = view.slice(index, index + GRAM);
      for (const forms of all) {
        for (const { of, at } of forms.get(gram) ?? []) {
          const range = partAround(view, index, of.form, at);
          if (range[1] - range[0] < of.part) continue;
          const ranges = found.get(of) ?? [];
          ranges.push(range);
          found.set(of, ranges);
        }
      }
    }
  }
  return found;
}

/** The range of the form that the text holds around a place where both have the same characters. */
function partAround(text: string, index: number, form: string, at: number): Range {
  let [start, end] = [at, at + GRAM];
  while (start > 0 && text[index - at + start - 1] === form[start - 1]) start--;
  while (end < form.length && text[index - at + end] === form[end]) end++;
  return [start, end];
}

/** How many characters the ranges hold together. */
function countCoveredCharacters(ranges: readonly Range[]): number {
  let [count, covered] = [0, 0];
  for (const [start, end] of ranges.toSorted((one, other) => one[0] - other[0])) {
    count += Math.max(0, end - Math.max(start, covered));
    covered = Math.max(covered, end);
  }
  return count;
}
