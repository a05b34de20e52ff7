// Limits how many different texts of a payload are masked one by one: each costs time, and no source sends so
// many. Texts above the limit are left out of the fields that an adapter reads. The body is masked as one
// text and keeps them.

import { isObject } from '../text/json.ts';

/** A group of a thousand alerts with twenty labels each has fewer different texts. */
const MAX_TEXTS = 20_000;

/**
 * The payload with at most 20,000 different texts, keys included. The outer levels come first: entries of
 * lists and objects after the limit are left out. Returns the same value if it has fewer.
 * @param max default: 20,000.
 */
export function limitTexts(payload: unknown, max = MAX_TEXTS): unknown {
  const texts = new Set<string>();
  /** How many entries of a list or an object are kept; objects that are missing lost none. */
  const kept = new Map<object, number>();
  let level: object[] = isContainer(payload) ? [payload] : [];
  while (level.length > 0) {
    const next: object[] = [];
    for (const container of level) {
      let count = 0;
      for (const [key, entry] of entriesIn(container)) {
        if (texts.size >= max) break;
        if (key !== undefined) texts.add(key);
        if (typeof entry === 'string') texts.add(entry);
        else if (isContainer(entry)) next.push(entry);
        count++;
      }
      if (texts.size >= max) kept.set(container, count);
    }
    level = next;
  }
  return kept.size === 0 ? payload : copyKept(payload, kept);
}

const isContainer = (value: unknown): value is object => Array.isArray(value) || isObject(value);

function* entriesIn(container: object): Generator<[string | undefined, unknown]> {
  if (Array.isArray(container)) for (const entry of container) yield [undefined, entry];
  else
    for (const key in container)
      if (Object.hasOwn(container, key)) yield [key, Reflect.get(container, key) as unknown];
}

/** A copy with the first entries of each list and object that lost some. */
function copyKept(value: unknown, kept: ReadonlyMap<object, number>): unknown {
  if (!isContainer(value)) return value;
  const count = kept.get(value) ?? Number.POSITIVE_INFINITY;
  if (Array.isArray(value)) return value.slice(0, count).map((entry) => copyKept(entry, kept));
  const entries: [string, unknown][] = [];
  for (const [key, entry] of entriesIn(value)) {
    if (entries.length >= count) break;
    entries.push([key ?? '', copyKept(entry, kept)]);
  }
  return Object.fromEntries(entries);
}
