// Field transforms: new values that the server computes from stored ones.

import { compareValues } from '../values/compare.ts';
import { invalid } from '../values/errors.ts';
import { type FieldPath, parseWritablePath, valueAt, withValueAt } from '../values/fieldPath.ts';
import { type Micros, toTimestamp } from '../values/time.ts';
import {
  array,
  double,
  type Fields,
  integer,
  isNaNValue,
  isNumber,
  NULL,
  type Value,
} from '../values/value.ts';
import { checkedValue } from './limits.ts';

/** A transform as it is on the wire. */
export interface FieldTransform {
  /** The field to change. */
  fieldPath?: string;
  /** `REQUEST_TIME`: sets the commit time. */
  setToServerValue?: string;
  /** A number to add. */
  increment?: Value;
  /** Keeps the larger number. */
  maximum?: Value;
  /** Keeps the smaller number. */
  minimum?: Value;
  /** Elements to add unless the array contains them. */
  appendMissingElements?: { values?: Value[] };
  /** Elements to remove. */
  removeAllFromArray?: { values?: Value[] };
}

/** A transform of one field. */
export interface Transform {
  /** The field to change. */
  path: FieldPath;
  /** The new value of the field, and the result for the client. */
  apply(old: Value | undefined, now: Micros): { value: Value; result: Value };
}

const MAX_TRANSFORMS = 500;
const MAX_INTEGER = 2n ** 63n - 1n;
const MIN_INTEGER = -(2n ** 63n);

/** @throws StatusError INVALID_ARGUMENT when one is not valid. */
export function parseTransforms(transforms: FieldTransform[]): Transform[] {
  if (transforms.length > MAX_TRANSFORMS) {
    throw invalid(`A document cannot have more than ${MAX_TRANSFORMS} field transforms in one commit.`);
  }
  const parsed = transforms.map((transform) => ({
    path: parseWritablePath(transform.fieldPath),
    apply: parseOperation(transform),
  }));
  const transformed = new Set(parsed.map(({ path }) => JSON.stringify(path)));
  for (const { path } of parsed) {
    const outer = path.findIndex((_, length) => transformed.has(JSON.stringify(path.slice(0, length))));
    if (outer === -1) continue;
    const name = path.slice(0, outer).join('.');
    throw invalid(`Cannot transform property ${name} and its nested property at the same time.`);
  }
  return parsed;
}

/** The fields after all transforms, one after another, and their results. */
export function applyTransforms(
  fields: Fields,
  transforms: Transform[],
  now: Micros,
): { fields: Fields; results: Value[] } {
  const results: Value[] = [];
  let changed = fields;
  for (const { path, apply } of transforms) {
    const { value, result } = apply(valueAt(changed, path), now);
    changed = withValueAt(changed, path, value);
    results.push(result);
  }
  return { fields: changed, results };
}

function parseOperation(transform: FieldTransform): Transform['apply'] {
  const { setToServerValue, increment, maximum, minimum } = transform;
  if (setToServerValue !== undefined) {
    if (setToServerValue === 'REQUEST_TIME') return serverTime;
    throw invalid('ServerValue type must be specified for set_to_server_value transformation.');
  }
  if (increment !== undefined) return numericTransform(increment, addNumbers);
  if (maximum !== undefined) return numericTransform(maximum, (old, input) => chooseExtreme(old, input, 1));
  if (minimum !== undefined) return numericTransform(minimum, (old, input) => chooseExtreme(old, input, -1));
  const { appendMissingElements, removeAllFromArray } = transform;
  if (appendMissingElements !== undefined) {
    const added = checkElements(appendMissingElements);
    return (old) => ({ value: array(added.reduce(appendMissing, readStoredList(old))), result: NULL });
  }
  if (removeAllFromArray !== undefined) {
    const removed = checkElements(removeAllFromArray);
    return (old) => ({
      value: array(readStoredList(old).filter((item) => !contains(removed, item))),
      result: NULL,
    });
  }
  throw invalid('Operation type must be specified for field transformation.');
}

/** Server times have the precision of a millisecond. */
const serverTime: Transform['apply'] = (_, now) => {
  const value: Value = {
    valueType: 'timestampValue',
    timestampValue: toTimestamp(Math.floor(now / 1000) * 1000),
  };
  return { value, result: value };
};

function numericTransform(input: Value, combine: (old: Value, input: Value) => Value): Transform['apply'] {
  if (!isNumber(input)) throw invalid('Input must be int64 or double.');
  return (old) => {
    const value = old !== undefined && isNumber(old) ? combine(old, input) : input;
    return { value, result: value };
  };
}

function addNumbers(old: Value, input: Value): Value {
  if (old.valueType === 'integerValue' && input.valueType === 'integerValue') {
    const sum = BigInt(old.integerValue) + BigInt(input.integerValue);
    return integer(sum > MAX_INTEGER ? MAX_INTEGER : sum < MIN_INTEGER ? MIN_INTEGER : sum);
  }
  return double(asNumber(old) + asNumber(input));
}

const asNumber = (value: Value): number =>
  value.valueType === 'doubleValue'
    ? value.doubleValue
    : Number(value.valueType === 'integerValue' && value.integerValue);

/** The larger (`sign` 1) or smaller (-1) of two; the stored one when they are equal, NaN when one is. */
function chooseExtreme(old: Value, input: Value, sign: number): Value {
  if (isNaNValue(old)) return old;
  if (isNaNValue(input)) return input;
  return compareValues(input, old) * sign > 0 ? input : old;
}

const checkElements = ({ values = [] }: { values?: Value[] }): Value[] =>
  values.map((value) => checkedValue(value, 'element', 1, true));

const readStoredList = (value: Value | undefined): Value[] =>
  value?.valueType === 'arrayValue' ? (value.arrayValue.values ?? []) : [];

/** Null and NaN are elements like all others here. */
const contains = (list: Value[], value: Value): boolean =>
  list.some((item) => compareValues(item, value) === 0);

const appendMissing = (list: Value[], value: Value): Value[] =>
  contains(list, value) ? list : [...list, value];
