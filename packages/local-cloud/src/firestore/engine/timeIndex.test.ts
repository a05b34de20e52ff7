// The index finds what a look at every document would find.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../database/database.ts';
import { parseQuery } from '../query/query.ts';
import { matchesQuery, runQuery } from '../query/runQuery.ts';
import { encodeFields } from '../values/protos.ts';
import { type Fields, integer, type Value } from '../values/value.ts';
import { openEngine } from './engine.ts';

const database = 'projects/p/databases/(default)';
const time = (seconds: number, nanos = 0): Value => ({
  valueType: 'timestampValue',
  timestampValue: { seconds: String(seconds), nanos },
});
const groupQuery = (from: number, to: number, parent = '') =>
  parseQuery(`${database}/documents${parent}`, {
    from: [{ collectionId: 'c', allDescendants: true }],
    where: {
      compositeFilter: {
        op: 'AND',
        filters: [
          { fieldFilter: { field: { fieldPath: 'at' }, op: 'GREATER_THAN', value: time(from) } },
          { fieldFilter: { field: { fieldPath: 'at' }, op: 'LESS_THAN_OR_EQUAL', value: time(to, 500_000) } },
        ],
      },
    },
    orderBy: [{ field: { fieldPath: 'at' } }],
  });

/** Documents of one database, with what a query of a collection group reads. */
function start() {
  const cloud = openDatabase();
  const engine = openEngine(cloud);
  let updates = 0;
  const row = (path: string, fields: Fields) => {
    const at = ++updates;
    return { database, path, createTime: at, updateTime: at, data: encodeFields(fields) };
  };
  return { cloud, store: engine.store, engine, row };
}

describe('a query of a collection group by time', () => {
  const paths = fc.constantFrom('c/1', 'c/2', 'a/1/c/1', 'a/1/c/2', 'a/2/b/3/c/1', 'a/1/d/1', 'a/1');
  const values = fc.oneof(
    fc.record({ seconds: fc.integer({ min: -3, max: 3 }), micros: fc.constantFrom(0, 1, 500, 501, 999_999) }),
    fc.constantFrom('text', 'none', 'gone' as const),
  );
  const steps = fc.array(fc.tuple(paths, values), { maxLength: 30 });

  it('finds the same documents as a full scan, whatever was written before and since', () => {
    fc.assert(
      fc.property(steps, steps, fc.integer({ min: -4, max: 3 }), (before, since, from) => {
        const { cloud, store, engine, row } = start();
        const apply = ([path, value]: readonly [string, unknown]) => {
          if (value === 'gone') return store.delete({ database, path });
          if (value === 'none') return store.put(row(path, { other: time(0) }));
          if (value === 'text') return store.put(row(path, { at: integer(1) }));
          const { seconds, micros } = value as { seconds: number; micros: number };
          store.put(row(path, { at: time(seconds, micros * 1000) }));
        };
        for (const parent of ['', '/a/1']) {
          const query = groupQuery(from, from + 2, parent);
          const check = () => {
            const everything = store.scan({ database, parent: '', allDescendants: true });
            const expected = [...everything].filter((document) => matchesQuery(query, document));
            const found = runQuery(engine.snapshot(), query).map(({ path }) => path);
            expect(found.toSorted()).toEqual(expected.map(({ path }) => path).toSorted());
          };
          for (const step of before) apply(step);
          check();
          for (const step of since) apply(step);
          check();
        }
        cloud.close();
      }),
    );
  });

  it('reads no document beside those in the range', () => {
    const { cloud, store, row } = start();
    for (let index = 0; index < 100; index++) store.put(row(`c/${index}`, { at: time(index) }));
    const group = { database, parent: '', collectionId: 'c', allDescendants: true };
    const found = [...store.scan(group, { times: { field: 'at', from: { seconds: '97' } } })];
    expect(found.map(({ path }) => path).toSorted()).toEqual(['c/97', 'c/98', 'c/99']);
    cloud.close();
  });

  it('drops the entries of a write that is rolled back', () => {
    const { cloud, store, engine, row } = start();
    store.put(row('c/1', { at: time(1) }));
    const find = () => runQuery(engine.snapshot(), groupQuery(0, 9)).map(({ path }) => path);
    // The first query, in a transaction, makes no index that could be rolled back with it.
    const refused = () => {
      expect(find()).toEqual(['c/1']);
      throw new Error('refused');
    };
    expect(() => cloud.atomically(refused)).toThrow('refused');
    expect(find()).toEqual(['c/1']);
    expect(() =>
      cloud.atomically(() => {
        store.put(row('c/2', { at: time(2) }));
        store.delete({ database, path: 'c/1' });
        throw new Error('refused');
      }),
    ).toThrow('refused');
    expect(find()).toEqual(['c/1']);
    cloud.close();
  });

  it("of another database finds only that database's documents", () => {
    const { cloud, store, row } = start();
    store.put(row('c/1', { at: time(1) }));
    const other = { ...row('c/2', { at: time(1) }), database: 'projects/q/databases/(default)' };
    store.put(other);
    const times = { field: 'at' };
    for (const { database: of } of [other, { database }]) {
      const found = [
        ...store.scan({ database: of, parent: '', collectionId: 'c', allDescendants: true }, { times }),
      ];
      expect(found.map((document) => document.database)).toEqual([of]);
    }
    cloud.close();
  });
});

describe('a query of a large collection by a text', () => {
  it('finds the same documents in the same order as a full scan, and follows changes', () => {
    const { store, engine, row } = start();
    const text = (value: string): Value => ({ valueType: 'stringValue', stringValue: value });
    // More than are read whole.
    for (let n = 0; n < 2_100; n++) store.put(row(`c/${n}`, { at: text(`t${n % 300}`) }));
    store.put(row('a/1/c/7', { at: text('t7') }));
    const query = parseQuery(`${database}/documents`, {
      from: [{ collectionId: 'c' }],
      where: { fieldFilter: { field: { fieldPath: 'at' }, op: 'EQUAL', value: text('t7') } },
      orderBy: [{ field: { fieldPath: '__name__' } }],
    });
    const expectFound = () => {
      const all = [...store.scan({ database, parent: '', collectionId: 'c', allDescendants: false })];
      const found = runQuery(engine.snapshot(), query).map(({ path }) => path);
      expect(found).toEqual(all.filter((one) => matchesQuery(query, one)).map(({ path }) => path));
      return found.length;
    };
    expect(expectFound()).toBe(7);
    store.put(row('c/8', { at: text('t7') }));
    store.put(row('c/307', { at: text('t8') }));
    store.delete({ database, path: 'c/7' });
    expect(expectFound()).toBe(6);
  });
});

it('a group with one collection is read in the order of its ids', () => {
  const { store, row } = start();
  const group = { database, parent: '', collectionId: 'c', allDescendants: true };
  expect(store.findOnly(group)).toEqual(group);
  store.put(row('a/1/c/2', {}));
  expect(store.findOnly(group)).toEqual({ ...group, parent: 'a/1', allDescendants: false });
  store.put(row('c/1', {}));
  expect(store.findOnly(group)).toEqual(group);
});
