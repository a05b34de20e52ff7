// Counts writes of documents and of indexes whose values grow, in each second of a test's clock.

import type { Store, Write } from '../../shared/core/contract/store.ts';
import type { Collection } from '../../shared/core/schema/defineCollection.ts';
import { COLLECTIONS } from '../../shared/lists/documents.ts';
import { valueAt } from '../../shared/store/fieldPath.ts';

/** Writes are counted over so many seconds. */
const WINDOW_S = 10;
/** A time that was not earlier stands at the growing end of an index. As in the local cloud's limits. */
const RECENT_MS = 10_000;

/** The writes of a document or of an end of an index. */
export interface WriteRate {
  /** The path of a document, or an index: `all executions (due.b0)`. */
  name: string;
  /** The highest number of writes a second, over ten seconds. */
  perSecond: number;
  operations: number;
}

/** What was written. */
export interface WriteRates {
  documents(): WriteRate[];
  indexes(): WriteRate[];
  /** Forgets what was counted. */
  clear(): void;
  /** Counts the writes of a store that succeed. */
  count(store: Store): Store;
}

/** Counts nothing yet. @param now the time that decides rates. */
export function createWriteRates(now: () => Date): WriteRates {
  const documents = new Map<string, Map<number, number>>();
  const indexes = new Map<string, Map<number, number>>();
  const ends = new Map<string, Set<string>>();
  const note = (counts: typeof documents, name: string) => {
    const second = Math.floor(now().getTime() / 1000);
    const perSecond = counts.get(name) ?? new Map<number, number>();
    counts.set(name, perSecond.set(second, (perSecond.get(second) ?? 0) + 1));
  };
  const noteDocument = ({ path, op, value }: Pick<Write, 'path' | 'op' | 'value'>) => {
    note(documents, path);
    const before = ends.get(path);
    const after = new Set(op === 'delete' ? [] : listGrowingEntries(path, value, now()));
    for (const entry of after)
      if (!before?.has(entry)) note(indexes, entry.slice(0, entry.lastIndexOf(' = ')));
    if (op === 'delete') ends.delete(path);
    else ends.set(path, after);
  };
  const list = (counts: typeof documents): WriteRate[] =>
    [...counts]
      .map(([name, perSecond]) => ({
        name,
        perSecond: countHighest(perSecond) / WINDOW_S,
        operations: [...perSecond.values()].reduce((sum, count) => sum + count, 0),
      }))
      .sort((one, other) => other.perSecond - one.perSecond);
  return {
    documents: () => list(documents),
    indexes: () => list(indexes),
    clear() {
      documents.clear();
      indexes.clear();
    },
    count: (store) => ({
      ...store,
      async commit(writes) {
        const result = await store.commit(writes);
        if (result.ok) for (const write of writes) noteDocument(write);
        return result;
      },
      async increment(path, ...rest) {
        note(documents, path);
        return store.increment(path, ...rest);
      },
      async incrementAll(path, ...rest) {
        note(documents, path);
        return store.incrementAll(path, ...rest);
      },
    }),
  };
}

/** The most in any ten seconds. */
function countHighest(perSecond: ReadonlyMap<number, number>): number {
  const sums = [...perSecond.keys()].map((first) => {
    let sum = 0;
    for (let second = first; second < first + WINDOW_S; second++) sum += perSecond.get(second) ?? 0;
    return sum;
  });
  return Math.max(0, ...sums);
}

/** The entries of a document at ends of indexes that grow: `sessions (tenantId = a, -createdAt) = 2026…`. */
function listGrowingEntries(path: string, value: unknown, now: Date): string[] {
  const id = path.split('/').at(-2) as keyof typeof COLLECTIONS;
  const { indexes = {} }: Pick<Collection, 'indexes'> = COLLECTIONS[id] ?? {};
  const data = value as Record<string, unknown>;
  const single = (place: string) => (field: string) => ({ place, fields: [field] });
  const all = [
    ...(indexes.fields ?? []).map(single(id)),
    ...(indexes.group ?? []).map(single(`all ${id}`)),
    ...(indexes.composites ?? []).map((fields) => ({ place: id, fields })),
  ];
  return all.flatMap(({ place, fields }) => {
    const values = fields.map((field) => valueAt(data, field.replace('-', '')));
    const last = values.findIndex((one) => one instanceof Date && now.getTime() - one.getTime() < RECENT_MS);
    if (last < 0) return [];
    return combine(values.slice(0, last)).map((before) => {
      const names = fields.map((field, index) => (index < last ? `${field} = ${before[index]}` : field));
      return `${place} (${names.join(', ')}) = ${(values[last] as Date).toISOString()}`;
    });
  });
}

/** Each combination of values; a list counts with each element. */
function combine(values: readonly unknown[]): unknown[][] {
  return values.reduce<unknown[][]>(
    (found, value) =>
      found.flatMap((before) => (Array.isArray(value) ? value : [value]).map((one) => [...before, one])),
    [[]],
  );
}
