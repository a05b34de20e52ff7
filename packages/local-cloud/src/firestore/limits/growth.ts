// Indexes on values that only grow: "the maximum write rate to the collection is 500 writes per second".
// https://firebase.google.com/docs/firestore/best-practices#index_exemptions

import type { Commit } from '../engine/engine.ts';
import type { Indexes } from '../indexes/indexFile.ts';
import { compareValues } from '../values/compare.ts';
import { cutDocumentId, cutParentPath, type DocumentKey, documentWireName } from '../values/names.ts';
import { toMicros } from '../values/time.ts';
import type { Value } from '../values/value.ts';
import { checkIndexEntries, type IndexEntry, listIndexEntries } from './indexEntries.ts';
import type { Demand, Load, Loads, Rate } from './loads.ts';

/** At one end of one index. A second's worth passes at once. */
const GROWING_RATE: Rate = { perSecond: 500, burst: 500 };

const RECENT_MS = 10_000;
const GROWING_TYPES: (string | undefined)[] = [
  'integerValue',
  'doubleValue',
  'timestampValue',
  'stringValue',
];

/** The greatest values that an index was given. */
interface Growth {
  /** The start of the current ten seconds. */
  sinceMs: number;
  /** Of all times before them. */
  before: Value | undefined;
  /** With them. */
  greatest: Value | undefined;
}

/** An index without values. */
export const createGrowth = (nowMs: number): Growth => ({
  sinceMs: nowMs,
  before: undefined,
  greatest: undefined,
});

/**
 * Ours: whether a value stands at the growing end: a time that was not over ten seconds ago, or a value
 * beyond the greatest that was given before these ten seconds.
 */
export function isGrowing(growth: Growth, value: Value, nowMs: number): boolean {
  if (!GROWING_TYPES.includes(value.valueType)) return false;
  if (nowMs - growth.sinceMs >= RECENT_MS) {
    growth.sinceMs = nowMs;
    growth.before = growth.greatest;
  }
  if (growth.greatest === undefined || compareValues(value, growth.greatest) > 0) growth.greatest = value;
  if (value.valueType === 'timestampValue' && toMicros(value.timestampValue) / 1000 >= nowMs - RECENT_MS)
    return true;
  return growth.before !== undefined && compareValues(value, growth.before) > 0;
}

/**
 * The demands of changes at the growing ends of indexes.
 * @throws StatusError INVALID_ARGUMENT when a document has too many or too large entries.
 */
export function planIndexDemands(
  ends: Loads<Growth>,
  indexes: Indexes,
  database: string,
  changes: Commit['changes'],
  nowMs: number,
): Demand[] {
  const demands = new Map<string, Demand>();
  for (const { key, before, after } of changes) {
    const entries = after === undefined ? [] : listIndexEntries(key.path, after.fields, indexes);
    checkIndexEntries(key.path, entries);
    const old = before && new Set(listIndexEntries(key.path, before.fields, indexes).map(identifyEntry));
    const added = old
      ? entries.filter((entry) => !old.has(identifyEntry(entry)))
      : [...entries, describeId(key)];
    for (const entry of added) {
      const end = findGrowingEnd(ends, database, entry, nowMs);
      if (end === undefined) continue;
      const count = (demands.get(end.key)?.count ?? 0) + 1;
      const reason = `the index ${end.name} grows by more than ${GROWING_RATE.perSecond} writes a second`;
      demands.set(end.key, { load: end.load, rate: GROWING_RATE, count, reason });
    }
  }
  return [...demands.values()];
}

const identifyEntry = ({ place, fields }: IndexEntry): string => JSON.stringify([place, fields]);

/**
 * The growing end of an index that an entry is at; undefined when its values are spread. Entries with the
 * same first values are stored side by side: the first growing value after them decides.
 */
function findGrowingEnd(
  loads: Loads<Growth>,
  database: string,
  { place, fields }: IndexEntry,
  nowMs: number,
): { key: string; name: string; load: Load<Growth> } | undefined {
  const names: string[] = [];
  for (const [index, { name, value }] of fields.entries()) {
    const rest = fields.slice(index).map((field) => field.name);
    const end = `${place} (${[...names, ...rest].join(', ')})`;
    const key = documentWireName({ database, path: end });
    const load = loads.get(key, nowMs);
    if (isGrowing(load.state, value, nowMs)) return { key, name: end, load };
    names.push(`${name} = ${describeValue(value)}`);
  }
  return undefined;
}

const describeValue = ({ valueType, ...value }: Value): string => JSON.stringify(Object.values(value)[0]);

/** A new document as an entry of its collection: ids that grow are values that grow. */
function describeId({ path }: DocumentKey): IndexEntry {
  const value: Value = { valueType: 'stringValue', stringValue: cutDocumentId(path) };
  return { place: cutParentPath(path), fields: [{ name: '__name__', value }], count: 0, bytes: 0 };
}
