// Reduces any JSON Schema to one for readers and models: few keywords, no references, bounded size.

import { quoteText } from '../cut.ts';
import { asArray, asObject, isObject, type JsonObject } from '../json.ts';
import { limitSchema } from './limitSchema.ts';
import { resolveReference } from './resolveReference.ts';
import { mapSubschemas } from './subschemas.ts';

/** Keywords copied unchanged, and conditions of values. All, and `default`, are known to Gemini. */
const KEPT: Record<string, (value: unknown) => boolean> = {
  title: isString,
  description: isString,
  type: (value) =>
    Array.isArray(value)
      ? value.length > 0 && value.length <= TYPE_NAMES.size && value.every(isTypeName)
      : isTypeName(value),
  minItems: isNumber,
  maxItems: isNumber,
  minimum: isNumber,
  maximum: isNumber,
};
const TYPE_NAMES = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** The formats of dates and numbers. Gemini refuses others, it does not ignore them. */
const FORMATS = new Set(['date-time', 'date', 'time', 'int32', 'int64', 'float', 'double']);
/** Bounds the growth from references that multiply (each naming the next twice). */
const MAX_NODES = 5_000;
const MAX_DEPTH = 32;
/** Longer lists of values are omitted: every reference to their definition would copy them. */
const MAX_ENUM = 1_000;
/** Longer texts are cut, for the same reason. */
const MAX_TEXT = 4_000;
/** Characters of a default, and entries of a default that is a list. Longer defaults are omitted. */
const MAX_DEFAULT = 200;
const MAX_DEFAULTS = 20;
/** Steps that a text, or an entry of a list, counts for. */
const CHARACTERS_PER_STEP = 100;
const ENTRIES_PER_STEP = 10;

/** Steps that several conversions share. */
export interface Budget {
  /** Steps that are left; below 0 when a conversion took more. */
  left: number;
}

/** Converted schemas. Each schema is converted only once. */
const converted = new WeakMap<object, { plain: JsonObject; steps: number }>();

/**
 * The schema of a function's parameters, plain enough to be read or declared. References are inlined (a
 * recursive one ends in an untyped object, an external one in anything), `allOf` is merged, `oneOf` becomes
 * `anyOf`, `const` an `enum`; unknown keywords go. Short defaults stay. The result is always an object: other
 * schemas (also `{}` and `true`) become an object without properties. At most 64 kB as JSON: see
 * `limitSchema` for the order of removal. Never throws. The same object gets the same result. Change neither
 * the result nor the object.
 * @param budget the steps of the conversion are subtracted from it, also for a cached result; it can fall
 * below 0.
 */
export function plainSchema(schema: unknown, budget: Budget = { left: 0 }): JsonObject {
  const known = isObject(schema) ? converted.get(schema) : undefined;
  if (known !== undefined) {
    budget.left -= known.steps;
    return known.plain;
  }
  const nodes = { left: MAX_NODES };
  const plain = convertSchema(schema, nodes);
  const steps = MAX_NODES - nodes.left;
  budget.left -= steps;
  if (isObject(schema)) converted.set(schema, { plain, steps });
  return plain;
}

function convertSchema(schema: unknown, nodes: Scope['nodes']): JsonObject {
  const cleaned = settleSchema(cleanSchema(schema, { root: schema, open: [], nodes }));
  const types = Array.isArray(cleaned.type) ? cleaned.type : [cleaned.type];
  const isObjectSchema =
    types.includes('object') || (cleaned.type === undefined && isObject(cleaned.properties));
  const { anyOf, ...rest } = isObjectSchema ? cleaned : { anyOf: cleaned.anyOf };
  return limitSchema({
    ...rest,
    type: 'object',
    properties: isObject(rest.properties) ? rest.properties : {},
    ...(anyOf !== undefined && { anyOf }),
  });
}

interface Scope {
  /** The whole schema, which references are resolved in. */
  root: unknown;
  /** References being inlined, to cut recursion. */
  open: string[];
  /** Nodes that the result can still get; shared by all branches. */
  nodes: { left: number };
}

function cleanSchema(schema: unknown, scope: Scope, depth = 0): JsonObject {
  scope.nodes.left -= 1;
  if (!isObject(schema) || scope.nodes.left < 0 || depth > MAX_DEPTH) return {};
  if (typeof schema.$ref === 'string') return inlineReference(schema, schema.$ref, scope, depth);
  const parts = asArray(schema.allOf);
  if (parts.length > 0) {
    const { allOf: _, ...rest } = schema;
    let merged = cleanSchema(rest, scope, depth + 1);
    for (const part of parts) {
      if (scope.nodes.left < 0) break;
      merged = mergeSchemas(merged, cleanSchema(part, scope, depth + 1));
      takeEntries(Object.keys(asObject(merged.properties)).length, scope);
    }
    return merged;
  }
  return cleanPlain(schema, scope, depth);
}

function inlineReference(schema: JsonObject, ref: string, scope: Scope, depth: number): JsonObject {
  const { $ref: _, ...siblings } = schema;
  const own = cleanSchema(siblings, scope, depth + 1);
  const target = resolveReference(scope.root, ref);
  if (scope.open.includes(ref)) return mergeSchemas(own, isObject(target) ? { type: 'object' } : {});
  return mergeSchemas(own, cleanSchema(target, { ...scope, open: [...scope.open, ref] }, depth + 1));
}

function cleanPlain(schema: JsonObject, scope: Scope, depth: number): JsonObject {
  const sub = (value: unknown) => cleanSchema(value, scope, depth + 1);
  const result: JsonObject = {};
  for (const [keyword, isValid] of Object.entries(KEPT)) {
    const value = schema[keyword];
    if (isValid(value)) result[keyword] = typeof value === 'string' ? takeText(value, scope) : value;
  }
  if (schema.nullable === true && isString(result.type)) result.type = [result.type, 'null'];
  if (typeof schema.format === 'string' && FORMATS.has(schema.format)) result.format = schema.format;
  if (isDefault(schema.default)) result.default = schema.default;

  const values = schema.const === undefined ? asArray(schema.enum) : [schema.const];
  const choices =
    values.length > MAX_ENUM ? [] : values.filter((value) => isString(value) || isNumber(value));
  if (choices.length > 0) result.enum = choices;
  takeEntries(Math.min(values.length, MAX_ENUM), scope);

  const alternatives = asArray(schema.anyOf).length > 0 ? asArray(schema.anyOf) : asArray(schema.oneOf);
  if (alternatives.length > 0) result.anyOf = alternatives.map(sub);

  if (isObject(schema.properties)) {
    const allowed = Object.entries(schema.properties).filter(([, value]) => value !== false);
    result.properties = Object.fromEntries(allowed.map(([name, value]) => [name, sub(value)]));
  }
  const names = asArray(schema.required).slice(0, MAX_NODES);
  takeEntries(names.length, scope);
  const required = names.filter(isString);
  if (required.length > 0) result.required = [...new Set(required)];
  if (typeof schema.additionalProperties === 'boolean')
    result.additionalProperties = schema.additionalProperties;
  else if (isObject(schema.additionalProperties))
    result.additionalProperties = sub(schema.additionalProperties);

  const tuple = Array.isArray(schema.items) ? schema.items : asArray(schema.prefixItems);
  if (tuple.length > 0) result.prefixItems = tuple.map(sub);
  if (schema.items !== undefined && !Array.isArray(schema.items)) result.items = sub(schema.items);
  return result;
}

/** Whether a default is kept: a short value or list. Null only means an optional argument. */
function isDefault(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= MAX_DEFAULTS && value.every(isShortValue);
  return isShortValue(value);
}

function isShortValue(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_DEFAULT && value.isWellFormed();
  return Number.isFinite(value) || typeof value === 'boolean';
}

function takeEntries(count: number, { nodes }: Scope): void {
  nodes.left -= Math.floor(count / ENTRIES_PER_STEP);
}

function takeText(text: string, { nodes }: Scope): string {
  const cut = quoteText(text, MAX_TEXT);
  nodes.left -= Math.floor(cut.length / CHARACTERS_PER_STEP);
  return cut.toWellFormed();
}

/** Removes required names that no part declares, and alternatives without content. Needs the whole schema. */
function settleSchema(schema: JsonObject): JsonObject {
  const { required, anyOf, ...rest } = mapSubschemas(schema, settleSchema);
  const known = asArray(required).filter(
    (name) => isString(name) && isObject(rest.properties) && Object.hasOwn(rest.properties, String(name)),
  );
  const meaningful = asArray(anyOf).filter((one) => isObject(one) && Object.keys(one).length > 0);
  // Reducing "anything or null" to null would reverse its meaning.
  const onlyNull = meaningful.every((one) => isObject(one) && one.type === 'null');
  return {
    ...rest,
    ...(known.length > 0 && { required: known }),
    ...(!onlyNull && { anyOf: meaningful }),
  };
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

function isTypeName(value: unknown): boolean {
  return TYPE_NAMES.has(value);
}

/**
 * The constraints of both schemas, as far as one schema can express them. Shared properties, `items` and
 * lists of values are merged; for other keywords the first schema wins.
 */
function mergeSchemas(a: JsonObject, b: JsonObject): JsonObject {
  const merged: JsonObject = { ...b, ...a };
  if (isObject(a.properties) && isObject(b.properties)) {
    merged.properties = mergeProperties(a.properties, b.properties);
  }
  if (isObject(a.items) && isObject(b.items)) merged.items = mergeSchemas(a.items, b.items);
  const required = new Set([...asArray(a.required), ...asArray(b.required)]);
  if (required.size > 0) merged.required = [...required];
  const values = new Set(asArray(b.enum));
  const common = asArray(a.enum).filter((value) => values.has(value));
  if (common.length > 0) merged.enum = common;
  return merged;
}

function mergeProperties(a: JsonObject, b: JsonObject): JsonObject {
  const both = Object.entries(a).map(([name, value]) => [
    name,
    Object.hasOwn(b, name) ? mergeSchemas(asObject(value), asObject(b[name])) : value,
  ]);
  return { ...b, ...Object.fromEntries(both) };
}
