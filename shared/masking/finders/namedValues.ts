// Values of objects that hold the name and the value of a variable in two fields, in any order and with other
// fields between: `{"value":"…","type":"PLAINTEXT","name":"DB_PASSWORD"}`, `- value: …` above `name:
// DB_PASSWORD`.

import { isSecret } from '../scan/assignedValue.ts';
import { findKeyMeaning, type KeyMeaning } from '../scan/keyNames.ts';
import type { Scan } from '../scan/scan.ts';

/** A field with a name that can be that of a secret. */
const NAME =
  /(?<![\w.-])(?:name|key|variable|option|setting)\\{0,7}["']?\s{0,8}[:=]\s{0,8}\\{0,7}["']?([\w.-]{2,100})(?![\w.-])/gi;
const VALUE =
  /(?<![\w.-])(?:value|val|content|default|string_?value)\\{0,7}["']?\s{0,8}[:=]\s{0,8}(?:(\\{0,7}["'])((?:(?!\1)[^\n]){1,4096}?)\1|([^\s"'`,;{}[\]<>\ufdd0][^\s"'`,;{}[\]<>\ufdd0]{0,4095}))/gi;
/** Other fields stand between the two. */
const WINDOW = 400;
/** The border of an object, an item of a list, an element or another name. */
const BORDER =
  /[{}<]|(?:\n|\\{1,7}n)[ \t]{0,80}-[ \t]|\n[ \t]*\n|(?<![\w.-])(?:name|key|variable)\\{0,7}["']?\s{0,8}[:=]/gi;

/** The same in elements, in both orders. */
const ELEMENTS =
  /<(name|key|value)>\s{0,40}([^<\n]{2,1000}?)\s{0,40}<\/\1>\s{0,40}<(?!\1)(name|key|value)>\s{0,40}([^<\n]{2,1000}?)\s{0,40}<\/\3>/gi;

/** Finds values that stand in a field of their own. */
export function findNamedValues(scan: Scan): void {
  const { text } = scan;
  if (!/val|content|default/i.test(text)) return;
  if (/<value>/i.test(text)) findElements(scan);
  NAME.lastIndex = 0;
  for (let hit = NAME.exec(text); hit !== null; hit = NAME.exec(text)) {
    const meaning = findKeyMeaning(hit[1] ?? '');
    scan.spend(hit[0].length);
    if (meaning === undefined) continue;
    scan.spend(2 * WINDOW);
    const window = text.slice(Math.max(0, hit.index - WINDOW), hit.index);
    const before = window.slice(Math.max(0, ...['{', '}', '<'].map((sign) => window.lastIndexOf(sign))));
    const from = hit.index - before.length;
    const start = [...before.matchAll(BORDER)].at(-1)?.index ?? 0;
    report(scan, from + start, before.slice(start), meaning);
    const behind = hit.index + hit[0].length;
    const after = text.slice(behind, behind + WINDOW + 4096);
    BORDER.lastIndex = 0;
    const end = Math.min(BORDER.exec(after)?.index ?? WINDOW, after.length);
    report(scan, behind, after.slice(0, end), meaning);
  }
}

function findElements(scan: Scan): void {
  for (const {
    index,
    0: whole,
    1: tag = '',
    2: first = '',
    3: other = '',
    4: last = '',
  } of scan.text.matchAll(ELEMENTS)) {
    scan.spend(whole.length);
    const isFirst = tag.toLowerCase() === 'value';
    if (!isFirst && other.toLowerCase() !== 'value') continue;
    const meaning = findKeyMeaning(isFirst ? last : first);
    const value = isFirst ? first : last;
    if (meaning === undefined || !isSecret(value, meaning, { quoted: true })) continue;
    const start = index + (isFirst ? whole.indexOf(first) : whole.lastIndexOf(last));
    scan.found(start, start + value.length, meaning.kind);
  }
}

/** Reports the values of a part of an object that holds no second name. */
function report(scan: Scan, start: number, part: string, meaning: KeyMeaning): void {
  for (const { index, 0: whole, 1: quote, 2: quoted, 3: plain } of part.matchAll(VALUE)) {
    const value = quoted ?? plain ?? '';
    if (!isSecret(value, meaning, { quoted: quote !== undefined })) continue;
    const end = start + index + whole.length - (quote?.length ?? 0);
    scan.found(end - value.length, end, meaning.kind);
  }
}
