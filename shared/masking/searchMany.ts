// Looks for many strings at once, in time that does not grow with their number.

/** Strings are compared only where the first eight characters of one stand (four, of shorter ones). */
const LONG_HEAD = 8;
const SHORT_HEAD = 4;
/** Hash of n characters: h = h * BASE + code, modulo 2^32. */
const BASE = 16_777_619;
/** Bits of the table that quickly excludes places where no string starts. */
const TABLE_BITS = 16;

interface Heads<T extends { form: string }> {
  length: number;
  /** BASE to the power of `length`, for rolling. */
  power: number;
  table: Uint8Array;
  byHash: Map<number, T[]>;
}

/** A search for the strings; reusable for any number of texts. */
export interface ManyStrings<T extends { form: string }> {
  /** Whether there is nothing to look for. */
  isEmpty: boolean;
  /** Calls `found` for each place of one of the strings; at one place, for the string given first. */
  search(text: string, found: (start: number, needle: T) => void, spend: (characters: number) => void): void;
}

/** Strings to look for, of at least four characters each; others are ignored. */
export function compileStrings<T extends { form: string }>(needles: readonly T[]): ManyStrings<T> {
  const groups = [LONG_HEAD, SHORT_HEAD]
    .map((length) => indexNeedleHeads(needles, length))
    .filter(({ byHash }) => byHash.size > 0);
  return {
    isEmpty: groups.length === 0,
    search(text, found, spend) {
      for (const heads of groups) searchHeads(text, heads, found, spend);
    },
  };
}

function indexNeedleHeads<T extends { form: string }>(needles: readonly T[], length: number): Heads<T> {
  const heads: Heads<T> = { length, power: 1, table: new Uint8Array(1 << TABLE_BITS), byHash: new Map() };
  for (let count = 0; count < length; count++) heads.power = Math.imul(heads.power, BASE);
  for (const needle of needles) {
    const isLong = needle.form.length >= LONG_HEAD;
    if (needle.form.length < SHORT_HEAD || isLong !== (length === LONG_HEAD)) continue;
    let hash = 0;
    for (let index = 0; index < length; index++)
      hash = (Math.imul(hash, BASE) + needle.form.charCodeAt(index)) | 0;
    heads.table[hashSlot(hash)] = 1;
    heads.byHash.set(hash, [...(heads.byHash.get(hash) ?? []), needle]);
  }
  return heads;
}

const hashSlot = (hash: number): number => (hash ^ (hash >>> TABLE_BITS)) & ((1 << TABLE_BITS) - 1);

function searchHeads<T extends { form: string }>(
  text: string,
  { length, power, table, byHash }: Heads<T>,
  found: (start: number, needle: T) => void,
  spend: (characters: number) => void,
): void {
  let hash = 0;
  for (let end = 0; end < text.length; end++) {
    hash = (Math.imul(hash, BASE) + text.charCodeAt(end)) | 0;
    if (end >= length) hash = (hash - Math.imul(power, text.charCodeAt(end - length))) | 0;
    const start = end - length + 1;
    if (start < 0 || table[hashSlot(hash)] === 0) continue;
    const candidates = byHash.get(hash);
    if (candidates === undefined) continue;
    spend(candidates.length * length);
    const needle = candidates.find(({ form }) => text.startsWith(form, start));
    if (needle !== undefined) found(start, needle);
  }
}
