// The parameters schema of a function for Gemini's declaration: names, lists of values, items checked.

import { asArray, asObject, isObject, type JsonObject } from '../../text/json.ts';
import { limitSchema } from '../../text/schema/limitSchema.ts';
import { plainSchema } from '../../text/schema/plainSchema.ts';

/** Gemini API, `FunctionDeclaration.parameters`. */
const PARAMETER_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** Values named in a description. */
const MAX_VALUES = 50;

/** `impossible`: a required property without wire name; `properties`: the ways to such, `filter.$gt`. */
type GeminiParameters =
  | { kind: 'possible'; schema: JsonObject }
  | { kind: 'impossible'; properties: string[] };

/**
 * `plainSchema`, made to pass Gemini's checks. Names Gemini refuses go with their property where it is
 * optional, and make the whole impossible where it is required. Empty values of an enum go, an enum gets a
 * type, values that are not strings move to the description, which also states the default; a list without
 * `items` is one of strings.
 */
export function geminiParameters(inputSchema: unknown): GeminiParameters {
  const plain = plainSchema(inputSchema);
  const known = restricted.get(plain);
  if (known !== undefined) return known;
  const result = restrictSchema(plain);
  const limited: GeminiParameters =
    result.kind === 'possible' ? { kind: 'possible', schema: limitSchema(result.schema) } : result;
  restricted.set(plain, limited);
  return limited;
}

/** A schema is restricted once, as long as its list of tools is the same. */
const restricted = new WeakMap<JsonObject, GeminiParameters>();

function restrictSchema(schema: JsonObject): GeminiParameters {
  const { properties, required, anyOf, items, prefixItems, additionalProperties, ...rest } = schema;
  const result: JsonObject = describeDefault(restrictValues(rest));
  const impossible: string[] = [];

  if (isObject(properties)) {
    const kept: [string, JsonObject][] = [];
    for (const [name, value] of Object.entries(properties)) {
      const inner = PARAMETER_NAME.test(name) ? restrictSchema(asObject(value)) : impossibleName();
      if (inner.kind === 'possible') kept.push([name, inner.schema]);
      else if (asArray(required).includes(name)) impossible.push(...prefixEach(name, inner.properties));
    }
    result.properties = Object.fromEntries(kept);
    if (required !== undefined) result.required = required;
  }

  const alternatives = asArray(anyOf).map((one) => restrictSchema(asObject(one)));
  const possible = alternatives.filter((one) => one.kind === 'possible').map((one) => one.schema);
  if (possible.length > 0) {
    result.anyOf = possible;
    // Vertex AI does not take both.
    delete result.default;
  } else impossible.push(...alternatives.flatMap(waysIn));

  if (isObject(additionalProperties)) {
    const values = restrictSchema(additionalProperties);
    // Entries whose values cannot be declared are left undescribed: they are optional.
    if (values.kind === 'possible') result.additionalProperties = values.schema;
  } else if (additionalProperties !== undefined) result.additionalProperties = additionalProperties;

  const tuple = asArray(prefixItems).map((one) => restrictSchema(asObject(one)));
  impossible.push(...tuple.flatMap(waysIn));
  if (tuple.length > 0) result.prefixItems = tuple.flatMap((one) => ('schema' in one ? [one.schema] : []));
  if (isObject(items)) {
    const item = restrictSchema(items);
    if (item.kind === 'possible') result.items = item.schema;
    else impossible.push(...prefixEach('[]', item.properties));
  } else if (allowsType(result, 'array') && tuple.length === 0) result.items = { type: 'string' };

  return impossible.length > 0
    ? { kind: 'impossible', properties: impossible }
    : { kind: 'possible', schema: result };
}

function impossibleName(): GeminiParameters {
  return { kind: 'impossible', properties: [''] };
}

function waysIn(result: GeminiParameters): string[] {
  return result.kind === 'impossible' ? result.properties : [];
}

function prefixEach(name: string, ways: string[]): string[] {
  return ways.map((way) => (way === '' ? name : `${name}.${way}`));
}

/** Gemini takes an enum of strings only, and none of them empty. */
function restrictValues(schema: JsonObject): JsonObject {
  const { enum: given, ...rest } = schema;
  const values = [...new Set(asArray(given))];
  if (values.length === 0) return rest;
  const typed = { ...rest, type: rest.type ?? inferJsonType(values) };
  if (allowsType(typed, 'string') && values.every((value) => typeof value === 'string')) {
    const choices = values.filter((value) => value !== '').map((value) => value.toWellFormed());
    return choices.length > 0 ? { ...typed, enum: choices } : typed;
  }
  const named = values.slice(0, MAX_VALUES).map((value) => JSON.stringify(value));
  const text = `One of: ${named.join(', ')}${values.length > MAX_VALUES ? ', …' : '.'}`;
  return {
    ...typed,
    description: withLine(rest.description, text),
  };
}

/** Adds the default to the description: Gemini accepts a default, but does not show it to the model. */
function describeDefault(schema: JsonObject): JsonObject {
  const { default: usual } = schema;
  if (usual === undefined) return schema;
  return { ...schema, description: withLine(schema.description, `Default: ${JSON.stringify(usual)}.`) };
}

function withLine(description: unknown, line: string): string {
  return typeof description === 'string' ? `${description}\n${line}` : line;
}

function inferJsonType(values: unknown[]): string | string[] {
  const types = values.map((value) =>
    typeof value === 'string' ? 'string' : Number.isInteger(value) ? 'integer' : 'number',
  );
  const distinct = new Set(types.includes('number') ? types.filter((type) => type !== 'integer') : types);
  const [first = 'string', ...others] = distinct;
  return others.length === 0 ? first : [first, ...others];
}

function allowsType(schema: JsonObject, type: string): boolean {
  return schema.type === type || asArray(schema.type).includes(type);
}
