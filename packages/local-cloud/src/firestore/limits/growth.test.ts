import { expect, it } from 'vitest';
import { type IndexFile, readIndexes } from '../indexes/indexFile.ts';
import { toTimestamp } from '../values/time.ts';
import { type Fields, integer, type Value } from '../values/value.ts';
import { createGrowth, isGrowing, planIndexDemands } from './growth.ts';
import { createLoads } from './loads.ts';

const START_MS = Date.UTC(2026, 0, 1);
const DATABASE = 'projects/p/databases/d';
const text = (stringValue: string): Value => ({ valueType: 'stringValue', stringValue });
const time = (ms: number): Value => ({
  valueType: 'timestampValue',
  timestampValue: toTimestamp((START_MS + ms) * 1000),
});

/** Whether each value grows, one every second. */
function judge(...values: Value[]): boolean[] {
  const growth = createGrowth(START_MS);
  return values.map((value, second) => isGrowing(growth, value, START_MS + second * 1000));
}

it('a value beyond the greatest of ten seconds ago grows', () => {
  const counted = Array.from({ length: 25 }, (_, index) => integer(index));
  expect(judge(...counted)).toEqual(counted.map((_, second) => second >= 10));
  const texts = counted.map((_, index) => text(`2026-01-01T00:00:${String(index).padStart(2, '0')}`));
  expect(judge(...texts)).toEqual(counted.map((_, second) => second >= 10));
});

it('values of a fixed set, and values that jump, do not grow', () => {
  const states = Array.from({ length: 40 }, (_, index) => text(['open', 'closed'][index % 2] ?? ''));
  expect(judge(...states)).not.toContain(true);
  const spread = Array.from({ length: 40 }, (_, index) => integer((index * 7919) % 10_007));
  expect(judge(...spread).filter(Boolean).length).toBeLessThan(4);
  const flags = Array.from(
    { length: 40 },
    (_, index): Value => ({ valueType: 'booleanValue', booleanValue: index > 9 }),
  );
  expect(judge(...flags)).not.toContain(true);
});

it('a time that is not over ten seconds ago grows, wherever others are', () => {
  expect(judge(time(3_600_000), time(0), time(-8_000), time(-8_000))).toEqual([true, true, true, false]);
});

/** The growing ends that changes are at, with their counts, after ten seconds of other documents. */
function findEnds(
  path: string,
  changes: [before: Fields | undefined, after: Fields | undefined][],
  file: Partial<IndexFile> = {},
) {
  const ends = createLoads(createGrowth);
  const indexes = readIndexes({ indexes: [], fieldOverrides: [], ...file });
  const plan = (nowMs: number, list: typeof changes, id?: string) => {
    const states = list.map(([before, after], index) => {
      const key = { database: DATABASE, path: `${path}${id ?? index}` };
      const state = (fields: Fields | undefined) =>
        fields && { ...key, fields, createTime: nowMs * 1000, updateTime: nowMs * 1000 };
      return { key, before: state(before), after: state(after) };
    });
    return planIndexDemands(ends, indexes, DATABASE, states, nowMs);
  };
  plan(START_MS, [[undefined, { n: integer(0) }]], 'z');
  return Object.fromEntries(
    plan(START_MS + 10_000, changes).map(({ count, reason }) => [
      reason.replace(/^the index (.*) grows.*/, '$1'),
      count,
    ]),
  );
}

const scope = 'COLLECTION' as const;
const order = 'ASCENDING' as const;

it('each automatic index with a growing value has an end; unchanged values, deletes and exempt fields have none', () => {
  const at = time(10_000);
  const changes: Parameters<typeof findEnds>[1] = [
    [undefined, { at, n: integer(1), state: text('open') }],
    [
      { at, n: integer(1) },
      { at, n: integer(2) },
    ],
    [{ at, n: integer(9) }, undefined],
  ];
  expect(findEnds('sessions/s', changes)).toEqual({ 'sessions (at)': 1, 'sessions (n)': 2 });
  const fieldOverrides = [{ collectionGroup: 'sessions', fieldPath: 'n', indexes: [] }];
  expect(findEnds('sessions/s', changes, { fieldOverrides })).toEqual({ 'sessions (at)': 1 });
});

it('an index of a collection group has one end, that of a collection one for each collection', () => {
  const changes: Parameters<typeof findEnds>[1] = [[undefined, { at: time(10_000) }]];
  const group = { queryScope: 'COLLECTION_GROUP' as const, order };
  const fieldOverrides = [
    { collectionGroup: 'runs', fieldPath: 'at', indexes: [group, { queryScope: scope, order }] },
  ];
  expect(findEnds('sessions/1/runs/r', changes, { fieldOverrides })).toEqual({
    'sessions/1/runs (at)': 1,
    'all runs (at)': 1,
  });
});

it('a composite index has an end for each combination of values before its first growing field', () => {
  const document = (state: string): [undefined, Fields] => [
    undefined,
    { state: text(state), at: time(10_000) },
  ];
  const fieldOverrides = [{ collectionGroup: 'sessions', fieldPath: '*', indexes: [] }];
  const index = (...fieldPaths: string[]) => ({
    collectionGroup: 'sessions',
    queryScope: scope,
    fields: fieldPaths.map((fieldPath) => ({ fieldPath, order })),
  });
  const changes = [document('open'), document('open'), document('closed')];
  const ends = findEnds('sessions/s', changes, {
    fieldOverrides,
    indexes: [index('state', 'at'), index('at', 'state')],
  });
  expect(ends).toEqual({
    'sessions (state = "open", at)': 2,
    'sessions (state = "closed", at)': 1,
    'sessions (at, state)': 3,
  });
});

it('ids that grow have an end', () => {
  const ends = createLoads(createGrowth);
  const indexes = readIndexes({ indexes: [], fieldOverrides: [] });
  const create = (id: number, nowMs: number) => {
    const key = { database: DATABASE, path: `logs/${id}` };
    const after = { ...key, fields: {}, createTime: 0, updateTime: 0 };
    return planIndexDemands(ends, indexes, DATABASE, [{ key, before: undefined, after }], nowMs).map(
      ({ reason }) => reason,
    );
  };
  expect(create(1001, START_MS)).toEqual([]);
  expect(create(1002, START_MS + 10_000)).toEqual([
    'the index logs (__name__) grows by more than 500 writes a second',
  ]);
  expect(create(1000, START_MS + 10_000)).toEqual([]);
});
