import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareValues, isEqual, isSame } from './compare.ts';
import { compareStrings } from './strings.ts';
import { array, double, integer, map, NULL, type Value } from './value.ts';

const text = (stringValue: string): Value => ({ valueType: 'stringValue', stringValue });
const truth = (booleanValue: boolean): Value => ({ valueType: 'booleanValue', booleanValue });
const time = (seconds: string, nanos: number): Value => ({
  valueType: 'timestampValue',
  timestampValue: { seconds, nanos },
});
const bytes = (...values: number[]): Value => ({ valueType: 'bytesValue', bytesValue: Buffer.from(values) });
const reference = (path: string): Value => ({
  valueType: 'referenceValue',
  referenceValue: `projects/p/databases/d/documents/${path}`,
});
const point = (latitude: number, longitude: number): Value => ({
  valueType: 'geoPointValue',
  geoPointValue: { latitude, longitude },
});
const vector = (...numbers: number[]): Value =>
  map({ __type__: text('__vector__'), value: array(numbers.map(double)) });

/** One value per place, in Firestore's order. */
const IN_ORDER: Value[] = [
  NULL,
  truth(false),
  truth(true),
  double(Number.NaN),
  double(-Infinity),
  integer(-1),
  integer(0),
  double(0.5),
  integer(1),
  double(9007199254740992),
  integer(9007199254740993n),
  double(Infinity),
  time('-5', 0),
  time('0', 1000),
  time('0', 2000),
  text(''),
  text('a'),
  text('ab'),
  text('b'),
  text('é'),
  text('！'),
  text('😀'),
  bytes(),
  bytes(1),
  bytes(1, 0),
  bytes(255),
  reference('c/__id2__'),
  reference('c/__id10__'),
  reference('c/a'),
  reference('c/a/s/x'),
  reference('c/b'),
  point(-1, 5),
  point(0, -1),
  point(0, 0),
  array([]),
  array([integer(1)]),
  array([integer(1), integer(0)]),
  array([integer(2)]),
  vector(9),
  vector(0, 5),
  vector(1, 0),
  map({}),
  map({ a: integer(1) }),
  map({ a: integer(1), b: NULL }),
  map({ a: integer(2) }),
  map({ b: NULL }),
];

describe('the order of values', () => {
  it('is Firestore’s, across all types', () => {
    for (const [left, a] of IN_ORDER.entries()) {
      for (const [right, b] of IN_ORDER.entries()) {
        expect(Math.sign(compareValues(a, b)), JSON.stringify([a, b])).toBe(Math.sign(left - right));
      }
    }
  });

  it('has integers and doubles of one size in one place, and the two zeros', () => {
    expect(compareValues(integer(1), double(1))).toBe(0);
    expect(compareValues(double(0), double(-0))).toBe(0);
    expect(compareValues(integer(0), double(-0))).toBe(0);
  });

  it('of strings is that of their UTF-8 bytes', () => {
    const property = fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      expect(Math.sign(compareStrings(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    });
    fc.assert(property);
  });
});

it('a value equals only itself', () => {
  for (const [left, a] of IN_ORDER.entries()) {
    for (const [right, b] of IN_ORDER.entries()) expect(isSame(a, b)).toBe(left === right);
  }
  expect(isSame(integer(1), double(1))).toBe(false);
  expect(isSame(double(0), double(-0))).toBe(false);
  expect(isSame(map({ a: NULL, b: NULL }), map({ b: NULL, a: NULL }))).toBe(true);
});

it('NaN equals nothing', () => {
  expect(isEqual(double(Number.NaN), double(Number.NaN))).toBe(false);
  expect(isEqual(integer(1), double(1))).toBe(true);
});
