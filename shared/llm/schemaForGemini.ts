// Cuts a JSON Schema of any origin down to what Gemini accepts as the parameters of a function.

import { asArray, isObject, type JsonObject } from './json.ts';

/** Keywords Gemini documents for JSON Schema that are copied as they are, and what they must be to be taken. */
const KEPT: Record<string, (value: unknown) => boolean> = {
  title: isString,
  description: isString,
  type: (value) => (Array.isArray(value) ? value.length > 0 && value.every(isTypeName) : isTypeName(value)),
  minItems: isNumber,
  maxItems: isNumber,
  minimum: isNumber,
  maximum: isNumber,
};
const TYPE_NAMES = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** Other formats are refused, not ignored. */
const FORMATS = new Set(['date-time', 'date', 'time', 'int32', 'int64', 'float', 'double']);
/** Bounds what references that multiply (each naming the next twice) can build. */
const MAX_NODES = 5_000;
const MAX_DEPTH = 32;

/**
 * The parameters schema of a function. References are inlined (a recursive one ends in an untyped object, an
 * external one in anything), `allOf` is merged, `oneOf` becomes `anyOf`, `const` an `enum`; unknown keywords go.
 * The result is always an object: what is not (also `{}` and `true`) becomes an object without properties.
 */
export function schemaForGemini(schema: unknown): JsonObject {
  const cleaned = clean(schema, { root: schema, open: [], nodes: { left: MAX_NODES } });
  const types = Array.isArray(cleaned.type) ? cleaned.type : [cleaned.type];
  const isObjectSchema =
    types.includes('object') || (cleaned.type === undefined && isObject(cleaned.properties));
  const { anyOf, ...rest } = isObjectSchema ? cleaned : { anyOf: cleaned.anyOf };
  return {
    ...rest,
    type: 'object',
    properties: isObject(rest.properties) ? rest.properties : {},
    ...(anyOf !== undefined && { anyOf }),
  };
}

interface Scope {
  root: unknown;
  /** References being inlined, to cut recursion. */
  open: string[];
  nodes: { left: number };
}

function clean(schema: unknown, scope: Scope, depth = 0): JsonObject {
  scope.nodes.left -= 1;
  if (!isObject(schema) || scope.nodes.left < 0 || depth > MAX_DEPTH) return {};
  if (typeof schema.$ref === 'string') return inline(schema, schema.$ref, scope, depth);
  const parts = asArray(schema.allOf);
  if (parts.length > 0) {
    const { allOf: _, ...rest } = schema;
    return [rest, ...parts].map((part) => clean(part, scope, depth + 1)).reduce(mergeObjects);
  }
  return cleanPlain(schema, scope, depth);
}

function inline(schema: JsonObject, ref: string, scope: Scope, depth: number): JsonObject {
  const { $ref: _, ...siblings } = schema;
  const own = clean(siblings, scope, depth + 1);
  const target = resolve(scope.root, ref);
  if (scope.open.includes(ref)) return { ...(isObject(target) ? { type: 'object' } : {}), ...own };
  return { ...clean(target, { ...scope, open: [...scope.open, ref] }, depth + 1), ...own };
}

/** The place a local reference (`#`, `#/$defs/x`) names; undefined for others. */
function resolve(root: unknown, ref: string): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let current: unknown = root;
  for (const step of ref.slice(2).split('/')) {
    const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    const isOwn = typeof current === 'object' && current !== null && Object.hasOwn(current, name);
    if (!isOwn) return undefined;
    current = (current as JsonObject)[name];
  }
  return current;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function cleanPlain(schema: JsonObject, scope: Scope, depth: number): JsonObject {
  const sub = (value: unknown) => clean(value, scope, depth + 1);
  const result: JsonObject = {};
  for (const [keyword, isValid] of Object.entries(KEPT)) {
    if (isValid(schema[keyword])) result[keyword] = schema[keyword];
  }
  if (schema.nullable === true && isString(result.type)) result.type = [result.type, 'null'];
  if (typeof schema.format === 'string' && FORMATS.has(schema.format)) result.format = schema.format;

  const values = schema.const === undefined ? asArray(schema.enum) : [schema.const];
  const choices = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  if (choices.length > 0) result.enum = choices;

  const alternatives = asArray(schema.anyOf).length > 0 ? asArray(schema.anyOf) : asArray(schema.oneOf);
  if (alternatives.length > 0) result.anyOf = alternatives.map(sub);

  if (isObject(schema.properties)) {
    const allowed = Object.entries(schema.properties).filter(([, value]) => value !== false);
    result.properties = Object.fromEntries(allowed.map(([name, value]) => [name, sub(value)]));
    const required = asArray(schema.required).filter((name) => allowed.some(([known]) => known === name));
    if (required.length > 0) result.required = required;
  }
  if (typeof schema.additionalProperties === 'boolean')
    result.additionalProperties = schema.additionalProperties;
  else if (isObject(schema.additionalProperties))
    result.additionalProperties = sub(schema.additionalProperties);

  const tuple = Array.isArray(schema.items) ? schema.items : asArray(schema.prefixItems);
  if (tuple.length > 0) result.prefixItems = tuple.map(sub);
  if (schema.items !== undefined && !Array.isArray(schema.items)) result.items = sub(schema.items);
  return result;
}

function mergeObjects(a: JsonObject, b: JsonObject): JsonObject {
  const merged: JsonObject = { ...b, ...a };
  if (isObject(a.properties) || isObject(b.properties)) {
    merged.properties = {
      ...(b.properties as JsonObject | undefined),
      ...(a.properties as JsonObject | undefined),
    };
  }
  const required = [...new Set([...asArray(a.required), ...asArray(b.required)])];
  if (required.length > 0) merged.required = required;
  return merged;
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
