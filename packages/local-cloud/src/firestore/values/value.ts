// Values of documents, as they are on the wire: every value names its type in `valueType`.

/** A point in time. Absent numbers are 0; `seconds` is a decimal number. */
export interface Timestamp {
  /** Seconds since the epoch. */
  seconds?: string;
  /** Nanoseconds of the second, 0 to 999,999,999. */
  nanos?: number;
}

/** The fields of a document or map, by their names. */
export type Fields = Record<string, Value>;

/** A value in a decoded message: the type and the content. */
export type Value =
  | { valueType: 'nullValue'; nullValue: 'NULL_VALUE' }
  | { valueType: 'booleanValue'; booleanValue: boolean }
  | { valueType: 'integerValue'; integerValue: string }
  | { valueType: 'doubleValue'; doubleValue: number }
  | { valueType: 'timestampValue'; timestampValue: Timestamp }
  | { valueType: 'stringValue'; stringValue: string }
  | { valueType: 'bytesValue'; bytesValue: Buffer }
  | { valueType: 'referenceValue'; referenceValue: string }
  | { valueType: 'geoPointValue'; geoPointValue: { latitude?: number; longitude?: number } }
  | { valueType: 'arrayValue'; arrayValue: { values?: Value[] } }
  | { valueType: 'mapValue'; mapValue: { fields?: Fields } };

/** The value null. */
export const NULL: Value = { valueType: 'nullValue', nullValue: 'NULL_VALUE' };
/** An integer value. */
export const integer = (number: bigint | number): Value => ({
  valueType: 'integerValue',
  integerValue: String(number),
});
/** A floating point value. */
export const double = (number: number): Value => ({ valueType: 'doubleValue', doubleValue: number });
/** A map value. */
export const map = (fields: Fields): Value => ({ valueType: 'mapValue', mapValue: { fields } });
/** An array value. */
export const array = (values: Value[]): Value => ({ valueType: 'arrayValue', arrayValue: { values } });

/** The field that marks a map as a value of another type: a vector. */
export const TYPE_FIELD = '__type__';
/** The type name of a vector. */
export const VECTOR_TYPE = '__vector__';

/** The components of a vector; undefined for every other value. */
export function readVector(value: Value | undefined): number[] | undefined {
  if (value?.valueType !== 'mapValue') return undefined;
  const type = value.mapValue.fields?.[TYPE_FIELD];
  if (type?.valueType !== 'stringValue' || type.stringValue !== VECTOR_TYPE) return undefined;
  const components = value.mapValue.fields?.value;
  if (components?.valueType !== 'arrayValue') return undefined;
  return (components.arrayValue.values ?? []).map((component) =>
    component.valueType === 'doubleValue' ? component.doubleValue : Number.NaN,
  );
}

/** An integer or a floating point number. */
export type NumberValue = Extract<Value, { valueType: 'integerValue' | 'doubleValue' }>;

/** Whether a value is an integer or a floating point number. */
export const isNumber = (value: Value | undefined): value is NumberValue =>
  value?.valueType === 'integerValue' || value?.valueType === 'doubleValue';

/** Whether a value is NaN. */
export const isNaNValue = (value: Value): boolean =>
  value.valueType === 'doubleValue' && Number.isNaN(value.doubleValue);
