// The JSON Schema of a structured answer, from the properties of an agent's schema. It holds only keywords
// that providers accept and that are checked in linear time: authors' patterns and references would run on
// model output.

import { asArray, isObject, type JsonObject } from '../text/json.ts';

const TYPES = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);
/** Keywords that are kept unchanged where their value has the right type. */
const NUMBERS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];
/** Deeper fields are of any type. People write three or four levels. */
const MAX_DEPTH = 20;

/** Field names that providers accept. */
const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/**
 * The schema of the whole answer: one object with these properties, without a description, because the prompt
 * has it. A type that JSON Schema does not know becomes `string`. Properties that are not required are
 * optional.
 */
export function outputSchema(properties: JsonObject, required: readonly string[]): JsonObject {
  return objectSchema({ properties, required }, 0);
}

function objectSchema({ properties, required }: JsonObject, depth: number): JsonObject {
  const fields = isObject(properties) ? Object.entries(properties) : [];
  const names = asArray(required).filter((name) => fields.some(([field]) => field === name));
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field, depth + 1)])),
    ...(names.length > 0 && { required: names }),
  };
}

function fieldSchema(field: unknown, depth: number): JsonObject {
  if (!isObject(field)) return { type: 'string' };
  const { title, description, anyOf, oneOf, items } = field;
  const texts = Object.entries({ title, description }).filter(([, text]) => typeof text === 'string');
  const numbers = NUMBERS.filter((name) => Number.isFinite(field[name])).map((name) => [name, field[name]]);
  const common = Object.fromEntries([...texts, ...numbers]);
  if (depth >= MAX_DEPTH) return common;
  const alternatives = asArray(anyOf).length > 0 ? asArray(anyOf) : asArray(oneOf);
  if (alternatives.length > 0)
    return { ...common, anyOf: alternatives.map((one) => fieldSchema(one, depth + 1)) };
  const type = chooseSchemaType(field);
  const choices = asArray(field.enum).filter((value) => value === null || !isNested(value));
  const allows = (name: string) => type === name || (Array.isArray(type) && type.includes(name));
  return {
    ...(allows('object') && objectSchema(field, depth)),
    ...common,
    ...(choices.length > 0 && !allows('object') && !allows('array') ? { enum: choices } : {}),
    ...(choices.length > 0 && choices.some((value) => typeof value !== 'string') ? {} : { type }),
    // Without `items` every entry is allowed.
    ...(allows('array') && { items: isObject(items) ? fieldSchema(items, depth + 1) : {} }),
  };
}

function chooseSchemaType({ type, properties }: JsonObject): unknown {
  const types = asArray(type).filter((one) => TYPES.has(one));
  if (types.length > 0) return types.length === 1 ? types[0] : types;
  if (TYPES.has(type)) return type;
  return type === undefined && isObject(properties) ? 'object' : 'string';
}

function isNested(value: unknown): boolean {
  return typeof value === 'object';
}

/** Names of fields, with the way to them, that providers refuse; empty when there are none. */
export function unusableNames(properties: JsonObject, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const way = `${prefix}${name}`;
    if (!FIELD_NAME.test(name)) return [way];
    if (!isObject(field)) return [];
    const { properties: inner, items } = field;
    const ofItems = isObject(items) && isObject(items.properties) ? items.properties : {};
    return [
      ...(isObject(inner) ? unusableNames(inner, `${way}.`) : []),
      ...unusableNames(ofItems, `${way}[].`),
    ];
  });
}
