// The order of values: first by type, then by content. In this order an integer equals the same number as a
// double; `isSame` distinguishes them.

import { comparePaths } from './names.ts';
import { compareStrings } from './strings.ts';
import {
  type Fields,
  isNaNValue,
  type NumberValue,
  readVector,
  type Timestamp,
  type Value,
} from './value.ts';

/** https://firebase.google.com/docs/firestore/manage-data/data-types: the order of types. */
const TYPES: Record<Value['valueType'], number> = {
  nullValue: 0,
  booleanValue: 1,
  integerValue: 2,
  doubleValue: 2,
  timestampValue: 3,
  stringValue: 4,
  bytesValue: 5,
  referenceValue: 6,
  geoPointValue: 7,
  arrayValue: 8,
  mapValue: 10,
};
const VECTOR = 9;

/** The rank of a value's type. Different ranks are never equal, and filters do not compare them. */
export function typeOrder(value: Value): number {
  return value.valueType === 'mapValue' && readVector(value) !== undefined ? VECTOR : TYPES[value.valueType];
}

/** `right`, for a caller that knows that both values have the same type. */
const sameType = <T extends Value>(_left: T, right: Value): T => right as T;

type Ordered = string | number | bigint | boolean;
const order = (left: Ordered, right: Ordered): number => (left < right ? -1 : left > right ? 1 : 0);

/** Negative, 0 or positive when `left` precedes, equals or follows `right`. */
export function compareValues(left: Value, right: Value): number {
  const byType = typeOrder(left) - typeOrder(right);
  if (byType !== 0) return byType;
  switch (left.valueType) {
    case 'nullValue':
      return 0;
    case 'booleanValue':
      return order(left.booleanValue, sameType(left, right).booleanValue);
    case 'integerValue':
    case 'doubleValue':
      return compareNumbers(left, sameType(left, right));
    case 'timestampValue':
      return compareTimestamps(left.timestampValue, sameType(left, right).timestampValue);
    case 'stringValue':
      return compareStrings(left.stringValue, sameType(left, right).stringValue);
    case 'bytesValue':
      return Buffer.compare(left.bytesValue, sameType(left, right).bytesValue);
    case 'referenceValue':
      return comparePaths(left.referenceValue, sameType(left, right).referenceValue);
    case 'geoPointValue': {
      const [a, b] = [left.geoPointValue, sameType(left, right).geoPointValue];
      return order(a.latitude ?? 0, b.latitude ?? 0) || order(a.longitude ?? 0, b.longitude ?? 0);
    }
    case 'arrayValue':
      return compareLists(left.arrayValue.values ?? [], sameType(left, right).arrayValue.values ?? []);
    case 'mapValue': {
      const other = sameType(left, right);
      const [a, b] = [readVector(left), readVector(other)];
      if (a !== undefined && b !== undefined) return compareVectors(a, b);
      return compareMaps(left.mapValue.fields ?? {}, other.mapValue.fields ?? {});
    }
  }
}

/** Compares exact values. NaN precedes all other numbers, and 0 equals -0. */
function compareNumbers(left: NumberValue, right: NumberValue): number {
  const [a, b] = [exactNumber(left), exactNumber(right)];
  const [aMissing, bMissing] = [Number.isNaN(a), Number.isNaN(b)];
  if (aMissing || bMissing) return order(bMissing, aMissing);
  // JavaScript compares a bigint with a number exactly.
  return order(a, b);
}

function exactNumber(value: NumberValue): number | bigint {
  if (value.valueType === 'doubleValue') return value.doubleValue;
  const number = Number(value.integerValue);
  return Number.isSafeInteger(number) ? number : BigInt(value.integerValue);
}

function compareTimestamps(left: Timestamp, right: Timestamp): number {
  return (
    order(BigInt(left.seconds ?? 0), BigInt(right.seconds ?? 0)) || order(left.nanos ?? 0, right.nanos ?? 0)
  );
}

function compareLists(left: Value[], right: Value[]): number {
  for (const [index, value] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const byValue = compareValues(value, other);
    if (byValue !== 0) return byValue;
  }
  return left.length - right.length;
}

function compareVectors(left: number[], right: number[]): number {
  const different = left.findIndex((component, index) => component !== right[index]);
  return left.length - right.length || order(left[different] ?? 0, right[different] ?? 0);
}

function compareMaps(left: Fields, right: Fields): number {
  const sorted = (fields: Fields) => Object.entries(fields).sort(([a], [b]) => compareStrings(a, b));
  const others = sorted(right);
  for (const [index, [name, value]] of sorted(left).entries()) {
    const other = others[index];
    if (other === undefined) return 1;
    const byField = compareStrings(name, other[0]) || compareValues(value, other[1]);
    if (byField !== 0) return byField;
  }
  return Object.keys(left).length - others.length;
}

/** Whether two values are identical, including their types and the sign of zero. */
export function isSame(left: Value, right: Value): boolean {
  if (left.valueType !== right.valueType) return false;
  switch (left.valueType) {
    case 'doubleValue':
      return Object.is(left.doubleValue, sameType(left, right).doubleValue);
    case 'arrayValue': {
      const values = left.arrayValue.values ?? [];
      const others = sameType(left, right).arrayValue.values ?? [];
      return (
        values.length === others.length &&
        values.every((value, index) => {
          const other = others[index];
          return other !== undefined && isSame(value, other);
        })
      );
    }
    case 'mapValue':
      return areSame(left.mapValue.fields ?? {}, sameType(left, right).mapValue.fields ?? {});
    default:
      return compareValues(left, right) === 0;
  }
}

/** Whether two documents or maps have identical fields, in any order. */
export function areSame(left: Fields, right: Fields): boolean {
  const entries = Object.entries(left);
  if (entries.length !== Object.keys(right).length) return false;
  return entries.every(([name, value]) => {
    const other = right[name];
    return other !== undefined && isSame(value, other);
  });
}

/** Whether filters and transforms treat two values as equal. NaN equals no value. */
export function isEqual(left: Value, right: Value): boolean {
  return !isNaNValue(left) && !isNaNValue(right) && compareValues(left, right) === 0;
}
