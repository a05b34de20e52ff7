// Tokens that are recognised only by their form, wherever they stand.

import { GENERATED_FORMATS } from '../formats/generatedFormats.ts';
import { HEADLESS_FORMATS } from '../formats/headlessFormats.ts';
import { TOKEN_FORMATS } from '../formats/tokenFormats.ts';
import { matchAt, type Scan } from '../scan/scan.ts';

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Formats by their heads. */
const BY_HEAD = new Map<string, { kind: string; pattern: RegExp }[]>();
for (const { kind, heads, tail } of [...TOKEN_FORMATS, ...GENERATED_FORMATS]) {
  for (const head of heads) {
    if (head === '') continue;
    const formats = BY_HEAD.get(head) ?? [];
    BY_HEAD.set(head, [...formats, { kind, pattern: new RegExp(escaped(head) + tail, 'y') }]);
  }
}
/** Heads that start with a sign can follow a letter, others that of an escaped line break. */
const HEAD = new RegExp(
  `(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt])|(?=[^A-Za-z0-9]))(?:${[...BY_HEAD.keys()]
    .sort((a, b) => (a < b ? 1 : -1))
    .map(escaped)
    .join('|')})`,
  'g',
);

const JWT = 'eyJ';

/** Finds tokens of known form. */
export function findTokens(scan: Scan): void {
  const { text } = scan;
  let noJwtBefore = 0;
  HEAD.lastIndex = 0;
  for (let hit = HEAD.exec(text); hit !== null; hit = HEAD.exec(text)) {
    if (hit[0].startsWith(JWT) && hit.index < noJwtBefore) continue;
    const end = endOfToken(scan, hit.index, hit[0]);
    HEAD.lastIndex = Math.max(end, hit.index + 1);
    if (end > hit.index || !hit[0].startsWith(JWT)) continue;
    // The header of a JWT is long, and without a dot at its end each of `eyJ-eyJ-` would be read to there.
    noJwtBefore = hit.index + (matchAt(text, hit.index, /[\w-]*/y)?.[0].length ?? 0);
  }
  for (const { kind, pattern, needle } of HEADLESS_FORMATS) {
    if (needle !== undefined && !text.includes(needle)) continue;
    pattern.lastIndex = 0;
    for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
      scan.spend(found[0].length);
      scan.found(found.index, found.index + found[0].length, kind);
    }
  }
}

/** Tries all formats whose head is at `index`. Shorter heads, such as `sk-` of `sk-ant-`, are tried last. */
function endOfToken(scan: Scan, index: number, longest: string): number {
  const { text } = scan;
  for (let length = longest.length; length > 0; length--) {
    for (const { kind, pattern } of BY_HEAD.get(longest.slice(0, length)) ?? []) {
      const found = matchAt(text, index, pattern);
      scan.spend(found?.[0].length ?? 40);
      if (found === null) continue;
      scan.found(index, index + found[0].length, kind);
      return index + found[0].length;
    }
  }
  return index;
}
