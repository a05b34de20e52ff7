// Limits of documents, as in the real Firestore.
// Numbers: https://firebase.google.com/docs/firestore/quotas; sizes:
// https://firebase.google.com/docs/firestore/storage-size

import { invalid } from '../values/errors.ts';
import { parseDocumentName } from '../values/names.ts';
import { storedTimestamp } from '../values/time.ts';
import { array, type Fields, map, TYPE_FIELD, type Value, VECTOR_TYPE } from '../values/value.ts';

/** Of one request: https://firebase.google.com/docs/firestore/quotas#limits */
export const MAX_REQUEST_BYTES = 10 * 1024 * 1024;
const MAX_DOCUMENT_BYTES = 1024 * 1024;
/** 89 bytes less than a document. */
const MAX_VALUE_BYTES = 1_048_487;
const MAX_NAME_BYTES = 1500;
/** Of maps and lists within a document. */
const MAX_DEPTH = 20;
const MAX_DIMENSIONS = 2048;
/** Every value has an entry in an ascending and a descending index: 40,000 entries. */
const MAX_INDEXED_VALUES = 20_000;

/**
 * Fields as they are stored, timestamps to the microsecond.
 * @throws StatusError INVALID_ARGUMENT for invalid names, values or depths.
 */
export function checkedFields(fields: Fields): Fields {
  return mapFields(fields, (value, name) => {
    checkName(name, `field name ${name} is reserved`);
    return checkedValue(value, name, 0);
  });
}

/** The same of a single value, of the field `name`. */
export function checkedValue(value: Value, name: string, depth = 0, inList = false): Value {
  switch (value.valueType) {
    case undefined:
      throw invalid('Cannot convert firestore.v1.Value with type unset.');
    case 'timestampValue':
      return { ...value, timestampValue: storedTimestamp(value.timestampValue) };
    case 'stringValue':
      checkLength(Buffer.byteLength(value.stringValue), name);
      return value;
    case 'bytesValue':
      checkLength(value.bytesValue.length, name);
      return value;
    case 'referenceValue':
      parseDocumentName(value.referenceValue, 'Resource name');
      return value;
    case 'geoPointValue':
      checkGeoPoint(value.geoPointValue);
      return value;
    case 'arrayValue': {
      if (inList) throw invalid('Cannot convert an array value in an array value.');
      checkDepth(depth + 1, name);
      const values = (value.arrayValue.values ?? []).map((item) => checkedValue(item, name, depth + 1, true));
      return array(values);
    }
    case 'mapValue': {
      const fields = value.mapValue.fields ?? {};
      checkDepth(depth + 1, name);
      if (TYPE_FIELD in fields) return checkedVector(value, fields, name);
      const checked = mapFields(fields, (inner, key) => {
        checkName(key, `field name '${key}' is reserved.`);
        return checkedValue(inner, name, depth + 1);
      });
      return map(checked);
    }
    case 'nullValue':
    case 'booleanValue':
    case 'integerValue':
    case 'doubleValue':
      return value;
    default:
      throw invalid(`Value type is not supported: ${(value as { valueType: string }).valueType}`);
  }
}

function mapFields(fields: Fields, change: (value: Value, name: string) => Value): Fields {
  // `fromEntries` also keeps a field that is called __proto__ one.
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value, name)]));
}

function checkName(name: string, reserved: string): void {
  if (name === '') throw invalid('The property.name is the empty string.');
  if (/^__.*__$/s.test(name)) throw invalid(reserved);
  if (name.length * 3 > MAX_NAME_BYTES && Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw invalid(`The property.name is longer than ${MAX_NAME_BYTES} bytes.`);
  }
}

function checkLength(bytes: number, name: string): void {
  if (bytes <= MAX_VALUE_BYTES) return;
  throw invalid(`The value of property "${name}" is longer than ${MAX_VALUE_BYTES} bytes.`);
}

function checkDepth(depth: number, name: string): void {
  if (depth <= MAX_DEPTH) return;
  throw invalid(`Property ${name} contains an invalid nested entity: it is deeper than ${MAX_DEPTH} levels.`);
}

function checkGeoPoint({ latitude = 0, longitude = 0 }: { latitude?: number; longitude?: number }): void {
  if (!(Math.abs(latitude) <= 90)) {
    throw invalid(`Geo point latitude '${latitude}' outside permitted range -90.0 to 90.0.`);
  }
  if (!(Math.abs(longitude) <= 180)) {
    throw invalid(`Geo point longitude '${longitude}' outside permitted range -180.0 to 180.0.`);
  }
}

function checkedVector(value: Value, fields: Fields, name: string): Value {
  const type = fields[TYPE_FIELD];
  if (type?.valueType !== 'stringValue' || type.stringValue !== VECTOR_TYPE) {
    throw invalid(`Property ${name} contains an invalid nested entity.`);
  }
  if (Object.keys(fields).length > 2) throw invalid('Vector Value map has extraneous entries.');
  const components = fields.value?.valueType === 'arrayValue' ? (fields.value.arrayValue.values ?? []) : [];
  if (components.length === 0) throw invalid('Cannot have a zero length vector.');
  if (components.length > MAX_DIMENSIONS) {
    throw invalid(`Vectors must be at most ${MAX_DIMENSIONS} dimensions.`);
  }
  if (!components.every(({ valueType }) => valueType === 'doubleValue')) {
    throw invalid("Vector must only contain values of type 'double'");
  }
  return value;
}

/**
 * Checks a whole document, after all transforms.
 * @throws StatusError INVALID_ARGUMENT when it is too large or has too many values.
 */
export function checkDocument(path: string, fields: Fields): void {
  // 16 bytes for the name, 32 for the document.
  const bytes = countNameBytes(path) + 32 + sizeOfFields(fields);
  if (bytes > MAX_DOCUMENT_BYTES) {
    throw invalid(
      `Document "${path}" cannot be written because its size (${bytes} bytes) exceeds the maximum entity size of ${MAX_DOCUMENT_BYTES} bytes.`,
    );
  }
  // A value takes two bytes at least.
  if (bytes > 2 * MAX_INDEXED_VALUES && countValues(fields) > MAX_INDEXED_VALUES) {
    throw invalid(`too many index entries for entity ${path}`);
  }
}

/** Of a document, in the document itself and in its index entries. */
export const countNameBytes = (path: string): number => Buffer.byteLength(path) + 1 + 16;

const sizeOfFields = (fields: Fields): number =>
  Object.entries(fields).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + 1 + countValueBytes(value),
    0,
  );

/** Of a value in a document. */
export function countValueBytes(value: Value): number {
  switch (value.valueType) {
    case 'nullValue':
    case 'booleanValue':
      return 1;
    case 'integerValue':
    case 'doubleValue':
    case 'timestampValue':
      return 8;
    case 'geoPointValue':
      return 16;
    case 'stringValue':
      return Buffer.byteLength(value.stringValue) + 1;
    case 'bytesValue':
      return value.bytesValue.length;
    case 'referenceValue':
      return countNameBytes(parseDocumentName(value.referenceValue).path);
    case 'arrayValue':
      return (value.arrayValue.values ?? []).reduce((sum, item) => sum + countValueBytes(item), 0);
    case 'mapValue':
      return sizeOfFields(value.mapValue.fields ?? {});
  }
}

function countValues(fields: Fields): number {
  return Object.values(fields).reduce((sum, value) => {
    if (value.valueType === 'arrayValue') return sum + (value.arrayValue.values?.length ?? 0);
    if (value.valueType !== 'mapValue') return sum + 1;
    const inner = value.mapValue.fields ?? {};
    return sum + (TYPE_FIELD in inner ? 1 : countValues(inner));
  }, 0);
}
