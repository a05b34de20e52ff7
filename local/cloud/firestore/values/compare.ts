// The order of values: first by type, then by content. Equal in this order are also an integer and the same
// number as a double; `isSame` distinguishes them.

import { comparePaths } from './names.ts';
import { compareStrings } from './strings.ts';
import { type Fields, isNaNValue, type Timestamp, type Value, vectorOf } from './value.ts';

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

/** The place of a value's type in the order of types. Values of two types are never equal, nor compared by a filter. */
export function typeOrder(value: Value): number {
  return value.valueType === 'mapValue' && vectorOf(value) !== undefined ? VECTOR : TYPES[value.valueType];
}

type Ordered = string | number | bigint | boolean;
const order = (left: Ordered, right: Ordered): number => (left < right ? -1 : left > right ? 1 : 0);

/** Less than, equal to or greater than 0, as `left` comes before, with or after `right`. */
export function compareValues(left: Value, right: Value): number {
  const byType = typeOrder(left) - typeOrder(right);
  if (byType !== 0) return byType;
  switch (left.valueType) {
    case 'nullValue':
      return 0;
    case 'booleanValue':
      return order(left.booleanValue, (right as typeof left).booleanValue);
    case 'integerValue':
    case 'doubleValue':
      return compareNumbers(left, right as typeof left);
    case 'timestampValue':
      return compareTimestamps(left.timestampValue, (right as typeof left).timestampValue);
    case 'stringValue':
      return compareStrings(left.stringValue, (right as typeof left).stringValue);
    case 'bytesValue':
      return Buffer.compare(left.bytesValue, (right as typeof left).bytesValue);
    case 'referenceValue':
      return comparePaths(left.referenceValue, (right as typeof left).referenceValue);
    case 'geoPointValue': {
      const [a, b] = [left.geoPointValue, (right as typeof left).geoPointValue];
      return order(a.latitude ?? 0, b.latitude ?? 0) || order(a.longitude ?? 0, b.longitude ?? 0);
    }
    case 'arrayValue':
      return compareLists(left.arrayValue.values ?? [], (right as typeof left).arrayValue.values ?? []);
    case 'mapValue': {
      const other = right as typeof left;
      const [a, b] = [vectorOf(left), vectorOf(other)];
      if (a !== undefined && b !== undefined) return compareVectors(a, b);
      return compareMaps(left.mapValue.fields ?? {}, other.mapValue.fields ?? {});
    }
  }
}

type NumberValue = Extract<Value, { valueType: 'integerValue' | 'doubleValue' }>;

/** Numbers by their exact size; NaN comes before all others, and 0 is -0. */
function compareNumbers(left: NumberValue, right: NumberValue): number {
  const [a, b] = [exact(left), exact(right)];
  const [aMissing, bMissing] = [Number.isNaN(a), Number.isNaN(b)];
  if (aMissing || bMissing) return order(bMissing, aMissing);
  // JavaScript compares a bigint with a number exactly.
  return order(a, b);
}

function exact(value: NumberValue): number | bigint {
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
  const rightNames = Object.keys(right).sort(compareStrings);
  for (const [index, name] of Object.keys(left).sort(compareStrings).entries()) {
    const other = rightNames[index];
    if (other === undefined) return 1;
    const byField = compareStrings(name, other) || compareValues(left[name] as Value, right[other] as Value);
    if (byField !== 0) return byField;
  }
  return Object.keys(left).length - rightNames.length;
}

/** Whether two values are the same in every respect: also their types, and the sign of zero. */
export function isSame(left: Value, right: Value): boolean {
  if (left.valueType !== right.valueType) return false;
  switch (left.valueType) {
    case 'doubleValue':
      return Object.is(left.doubleValue, (right as typeof left).doubleValue);
    case 'arrayValue': {
      const values = left.arrayValue.values ?? [];
      const others = (right as typeof left).arrayValue.values ?? [];
      return (
        values.length === others.length &&
        values.every((value, index) => isSame(value, others[index] as Value))
      );
    }
    case 'mapValue':
      return areSame(left.mapValue.fields ?? {}, (right as typeof left).mapValue.fields ?? {});
    default:
      return compareValues(left, right) === 0;
  }
}

/** Whether two documents or maps hold the same fields; their order does not matter. */
export function areSame(left: Fields, right: Fields): boolean {
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => {
    const other = right[name];
    return other !== undefined && isSame(left[name] as Value, other);
  });
}

/** Whether a filter or a transform takes two values for equal: null is no value to it, NaN equals nothing. */
export function isEqual(left: Value, right: Value): boolean {
  return !isNaNValue(left) && !isNaNValue(right) && compareValues(left, right) === 0;
}
