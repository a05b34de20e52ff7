// The messages of google.protobuf that have a JSON form of their own.

import type { Message } from '../protocol/protoFiles.ts';
import { jsonError, scalarFromJson, scalarToJson } from './scalars.ts';

const TIME = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/;
const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;
const [MIN_MS, MAX_MS] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')];
/** Some 10,000 years. */
const MAX_DURATION_SECONDS = 315_576_000_000;

/** @throws StatusError INVALID_ARGUMENT */
function timestampFromJson(value: unknown, at: string): Message {
  const [, date, time, fraction = '', zone = ''] = TIME.exec(String(value)) ?? [];
  const local = Date.parse(`${date}T${time}Z`);
  const ms = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  // JavaScript takes February 31 for March 3.
  const isDate = !Number.isNaN(local) && new Date(local).toISOString().startsWith(`${date}`);
  if (typeof value !== 'string' || !isDate || !(ms >= MIN_MS && ms <= MAX_MS)) {
    throw jsonError(at, 'has to be a time, such as "2026-11-23T18:00:00.5Z".');
  }
  return { seconds: String(ms / 1000), nanos: parseNanos(fraction) };
}

/** A timestamp in RFC 3339, UTC, with 0, 3, 6 or 9 digits of a second. */
const timestampToJson = ({ seconds = '0', nanos = 0 }: Message): string =>
  `${new Date(Number(seconds) * 1000).toISOString().slice(0, -5)}${formatNanos(nanos)}Z`;

/** @throws StatusError INVALID_ARGUMENT */
function durationFromJson(value: unknown, at: string): Message {
  const [, sign, seconds, fraction = ''] = DURATION.exec(String(value)) ?? [];
  if (typeof value !== 'string' || seconds === undefined || Number(seconds) > MAX_DURATION_SECONDS) {
    throw jsonError(at, 'has to be a duration, such as "3.5s".');
  }
  const factor = sign === '-' ? -1 : 1;
  return { seconds: String(Number(seconds) * factor), nanos: parseNanos(fraction) * factor };
}

/** A duration in seconds with a final `s`: `1.500s`. */
function durationToJson({ seconds = '0', nanos = 0 }: Message): string {
  const sign = Number(seconds) < 0 || nanos < 0 ? '-' : '';
  return `${sign}${String(seconds).replace('-', '')}${formatNanos(Math.abs(nanos))}s`;
}

const parseNanos = (fraction: string): number => Number(fraction.padEnd(9, '0'));

/** With 0, 3, 6 or 9 digits. */
const formatNanos = (nanos: number): string =>
  nanos === 0
    ? ''
    : `.${String(nanos)
        .padStart(9, '0')
        .replace(/(?:000){1,2}$/, '')}`;

/** How a message is read from JSON and written as JSON. */
interface JsonForm {
  /** @throws StatusError INVALID_ARGUMENT */
  fromJson(value: unknown, at: string): Message;
  /** The JSON value of a decoded message. */
  toJson(message: Message): unknown;
}

const toCamelCase = (path: string): string =>
  path.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const toSnakeCase = (path: string): string => path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const fieldMask: JsonForm = {
  fromJson(value, at) {
    if (typeof value !== 'string') throw jsonError(at, 'has to be names of fields, separated by commas.');
    return { paths: value === '' ? [] : value.split(',').map((path) => toSnakeCase(path.trim())) };
  },
  toJson: ({ paths = [] }) => paths.map(toCamelCase).join(','),
};

/** A wrapper is encoded as its value. @param zero the value of an absent field. */
const wrapper = (type: string, zero: unknown): JsonForm => ({
  fromJson: (value, at) => ({ value: scalarFromJson(type, value, at) }),
  toJson: ({ value = zero }) => scalarToJson(type, value),
});

const struct: JsonForm = {
  fromJson(value, at) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw jsonError(at, 'has to be an object.');
    }
    const fields = Object.entries(value).map(([name, each]) => [
      name,
      anyValue.fromJson(each, `${at}.${name}`),
    ]);
    return { fields: Object.fromEntries(fields) };
  },
  toJson: ({ fields = {} }) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, anyValue.toJson(value)])),
};

const list: JsonForm = {
  fromJson(value, at) {
    if (!Array.isArray(value)) throw jsonError(at, 'has to be a list.');
    return { values: value.map((each, index) => anyValue.fromJson(each, `${at}[${index}]`)) };
  },
  toJson: ({ values = [] }) => values.map(anyValue.toJson),
};

const anyValue: JsonForm = {
  fromJson(value, at) {
    if (value === null) return { nullValue: 0 };
    if (typeof value === 'string') return { stringValue: value };
    if (typeof value === 'boolean') return { boolValue: value };
    if (typeof value === 'object') {
      return Array.isArray(value)
        ? { listValue: list.fromJson(value, at) }
        : { structValue: struct.fromJson(value, at) };
    }
    return { numberValue: Number(value) };
  },
  toJson({ stringValue, boolValue, numberValue, listValue, structValue }) {
    if (listValue != null) return list.toJson(listValue);
    if (structValue != null) return struct.toJson(structValue);
    return stringValue ?? boolValue ?? numberValue ?? null;
  },
};

const FORMS: Record<string, JsonForm> = {
  Timestamp: { fromJson: timestampFromJson, toJson: timestampToJson },
  Duration: { fromJson: durationFromJson, toJson: durationToJson },
  FieldMask: fieldMask,
  DoubleValue: wrapper('double', 0),
  FloatValue: wrapper('float', 0),
  Int64Value: wrapper('int64', '0'),
  UInt64Value: wrapper('uint64', '0'),
  Int32Value: wrapper('int32', 0),
  UInt32Value: wrapper('uint32', 0),
  BoolValue: wrapper('bool', false),
  StringValue: wrapper('string', ''),
  BytesValue: wrapper('bytes', Buffer.of()),
  Struct: struct,
  Value: anyValue,
  ListValue: list,
};

/** A message's JSON form; undefined if its fields are it. @param fullName `.google.protobuf.Timestamp` */
export function findJsonForm(fullName: string): JsonForm | undefined {
  const [, name = ''] = /^\.google\.protobuf\.(\w+)$/.exec(fullName) ?? [];
  return Object.hasOwn(FORMS, name) ? FORMS[name] : undefined;
}
