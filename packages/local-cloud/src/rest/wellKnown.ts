// The messages of google.protobuf that have a JSON form of their own.

import type { Message } from '../protocol/protoFiles.ts';
import { jsonError, scalarFromJson, scalarToJson } from './scalars.ts';
import { durationFromJson, durationToJson, timestampFromJson, timestampToJson } from './times.ts';

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
