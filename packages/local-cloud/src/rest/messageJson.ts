// Converts messages of the protocol to JSON and back: https://protobuf.dev/programming-guides/json/

import protobuf, { type Field, type Type } from 'protobufjs/light.js';
import type { Message } from '../protocol/protoFiles.ts';
import { jsonError, scalarFromJson, scalarToJson } from './scalars.ts';
import { findJsonForm } from './wellKnown.ts';

/** Deeper JSON is refused, as protocol buffers refuse deeper messages. */
const MAX_DEPTH = 100;
const NULL_VALUE = '.google.protobuf.NullValue';

/** A field of a type, by its name in JSON (`ackIds`) or in the protocol file (`ack_ids`). */
export function fieldNamed(type: Type, name: string): Field | undefined {
  const camel = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const found = [name, camel].find((each) => Object.hasOwn(type.fields, each));
  return found === undefined ? undefined : type.fields[found]?.resolve();
}

/**
 * Reads a message from JSON.
 * @param json parsed; integers above 2^53 as `bigint`.
 * @returns an object for `fromObject` of protobufjs.
 * @throws StatusError INVALID_ARGUMENT, which names the value that does not fit: also for fields that the
 * type does not have.
 */
export function messageFromJson(type: Type, json: unknown, at = '', depth = 0): Message {
  const form = findJsonForm(type.fullName);
  if (form !== undefined) return form.fromJson(json, at);
  if (depth > MAX_DEPTH) throw jsonError(at.slice(0, 200), `is more than ${MAX_DEPTH} levels deep.`);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw jsonError(at, 'has to be an object.');
  }
  const message: Message = {};
  const setGroups = new Set<unknown>();
  for (const [name, value] of Object.entries(json)) {
    const field = fieldNamed(type, name);
    if (field === undefined) throw jsonError(at, `Unknown name "${name}": Cannot find field.`);
    if (value === null && !takesNull(field)) continue;
    const inner = at === '' ? field.name : `${at}.${field.name}`;
    if (Object.hasOwn(message, field.name)) throw jsonError(inner, 'is given twice.');
    if (field.partOf && setGroups.has(field.partOf)) {
      throw jsonError(inner, `oneof field '${field.partOf.name}' is already set.`);
    }
    if (field.partOf) setGroups.add(field.partOf);
    message[field.name] = fieldFromJson(field, value, inner, depth);
  }
  return message;
}

/** Whether null is a value of the field, not its absence. */
const takesNull = ({ resolvedType, repeated, map }: Field): boolean =>
  !repeated && !map && [NULL_VALUE, '.google.protobuf.Value'].includes(resolvedType?.fullName ?? '');

function fieldFromJson(field: Field, value: unknown, at: string, depth: number): unknown {
  if (field.map) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw jsonError(at, 'has to be an object.');
    }
    const entries = Object.entries(value).map(([key, each]) => {
      // No object of JavaScript takes it for a key like others.
      if (key === '__proto__') throw jsonError(at, 'the name "__proto__" is reserved.');
      return [key, valueFromJson(field, each, `${at}.${key}`, depth)];
    });
    return Object.fromEntries(entries);
  }
  if (!field.repeated) return valueFromJson(field, value, at, depth);
  if (!Array.isArray(value)) throw jsonError(at, 'has to be a list.');
  return value.map((each, index) => valueFromJson(field, each, `${at}[${index}]`, depth));
}

function valueFromJson({ type, resolvedType }: Field, value: unknown, at: string, depth: number): unknown {
  if (resolvedType instanceof protobuf.Type) return messageFromJson(resolvedType, value, at, depth + 1);
  if (!(resolvedType instanceof protobuf.Enum)) return scalarFromJson(type, value, at);
  if (resolvedType.fullName === NULL_VALUE && value === null) return 0;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  if (typeof value === 'string' && Object.hasOwn(resolvedType.values, value))
    return resolvedType.values[value];
  throw jsonError(at, `has to be one of ${Object.keys(resolvedType.values).join(', ')}.`);
}

/**
 * A message as JSON. Omits unset fields, and zero values of fields without presence.
 * @param message as `decode` gives it.
 * @param enums whether values of enums are their names or numbers.
 */
export function messageToJson(type: Type, message: Message, enums: 'names' | 'numbers' = 'names'): unknown {
  const form = findJsonForm(type.fullName);
  if (form !== undefined) return form.toJson(message);
  const entries = type.fieldsArray.flatMap((each): [string, unknown][] => {
    const field = each.resolve();
    const value = message[field.name];
    if (value === undefined || value === null) return [];
    if (field.map) {
      const items = Object.entries(value).map(([key, item]) => [key, valueToJson(field, item, enums)]);
      return items.length === 0 ? [] : [[field.name, Object.fromEntries(items)]];
    }
    if (field.repeated) {
      return value.length === 0
        ? []
        : [[field.name, value.map((item: Message) => valueToJson(field, item, enums))]];
    }
    return isZero(field, value) ? [] : [[field.name, valueToJson(field, value, enums)]];
  });
  return Object.fromEntries(entries);
}

function valueToJson({ type, resolvedType }: Field, value: Message, enums: 'names' | 'numbers'): unknown {
  if (resolvedType instanceof protobuf.Type) return messageToJson(resolvedType, value, enums);
  if (resolvedType instanceof protobuf.Enum) {
    if (resolvedType.fullName === NULL_VALUE) return null;
    return enums === 'numbers' ? (resolvedType.values[value] ?? value) : value;
  }
  return scalarToJson(type, value);
}

/** Whether a field has the value that it has when it is absent. */
function isZero({ partOf, resolvedType }: Field, value: Message): boolean {
  if (partOf || resolvedType instanceof protobuf.Type) return false;
  if (resolvedType instanceof protobuf.Enum) return value === resolvedType.valuesById[0] || value === 0;
  return value === 0 || value === '0' || value === '' || value === false || value.length === 0;
}
