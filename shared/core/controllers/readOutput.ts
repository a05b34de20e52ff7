// Reads a structured answer: finds its JSON, checks it against the agent's schema, and reports its faults.

import * as z from 'zod';
import { quoteText } from '../../text/cut.ts';
import { makeVisible } from '../../text/hiddenCharacters.ts';
import { asArray, asObject, isObject, type JsonObject, parseJson } from '../../text/json.ts';
import { memoized } from '../../text/memo.ts';

/**
 * The validator of a schema, which is the same object for all answers of an iteration. Properties that it
 * does not name are let through.
 */
const validatorOf: (schema: JsonObject) => z.ZodType = memoized(makeValidator);

/** Maximum size of an answer as JSON, in UTF-8 bytes. An event holds it beside the readable text. */
const MAX_OUTPUT_BYTES = 100_000;
/** Maximum nesting of an answer. Deeper answers are mistakes and costly to process. */
const MAX_DEPTH = 64;
/** Faults that are named at once. */
const MAX_FAULTS = 10;
const MAX_QUOTE = 60;

/** A checked answer, or its faults as sentences for the model. */
export type OutputReading = { ok: true; output: JsonObject } | { ok: false; faults: string[] };

const wrong = (...faults: string[]): OutputReading => ({ ok: false, faults });

/** Reads an answer that is text: plain JSON, JSON in a code fence, or JSON with words around it. */
export function readOutputText(text: string, schema: JsonObject): OutputReading {
  const value = findJson(text);
  if (value === undefined)
    return wrong('The answer is not JSON: it must be one JSON object and nothing else.');
  return readOutput(value, schema);
}

/**
 * Checks an answer. Keeps only properties of the schema, in their order; absent optional ones become null.
 */
export function readOutput(value: unknown, schema: JsonObject): OutputReading {
  if (!isObject(value)) return wrong(`The answer must be a JSON object, not ${typeWord(value)}.`);
  if (isDeeper(value, MAX_DEPTH)) return wrong(`The answer is nested more than ${MAX_DEPTH} levels deep.`);
  const cleaned = asObject(withoutNulls(value, schema));
  const result = validatorOf(schema).safeParse(cleaned);
  if (!result.success) {
    const faults = result.error.issues.flatMap((issue) => describeOutputFaults(issue, cleaned));
    return wrong(...new Set(faults.slice(0, MAX_FAULTS)));
  }
  const output = completeProperties(cleaned, schema);
  if (Buffer.byteLength(JSON.stringify(output)) > MAX_OUTPUT_BYTES)
    return wrong(`The answer takes more than ${MAX_OUTPUT_BYTES / 1000} kB as JSON: be shorter.`);
  return { ok: true, output };
}

/** The JSON of a text; undefined when there is none. */
function findJson(text: string): unknown {
  const whole = parseJson(text);
  return whole === undefined ? parseJson(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) : whole;
}

/**
 * Removes nulls: models write null for omitted properties, even if the schema does not allow it. The objects
 * inherit nothing: an absent `constructor` is absent.
 */
function withoutNulls(value: unknown, schema: unknown): unknown {
  const { properties, required, items } = asObject(schema);
  if (Array.isArray(value)) return value.map((entry) => withoutNulls(entry, items));
  if (!isObject(value)) return typeof value === 'string' ? makeVisible(value) : value;
  const kept = Object.entries(value).filter(
    ([name, entry]) => entry !== null || !isOptional(name, asObject(properties), asArray(required)),
  );
  const cleaned = kept.map(([name, entry]) => [name, withoutNulls(entry, asObject(properties)[name])]);
  return Object.setPrototypeOf(Object.fromEntries(cleaned), null);
}

function isOptional(name: string, properties: JsonObject, required: readonly unknown[]): boolean {
  return Object.hasOwn(properties, name) && !required.includes(name);
}

/** The properties that the schema names, with null for absent ones. */
function completeProperties(value: JsonObject, { properties }: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(asObject(properties)).map((name) => [name, Object.hasOwn(value, name) ? value[name] : null]),
  );
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((entry) => isDeeper(entry, levels - 1));
}

function describeOutputFaults(issue: z.core.$ZodIssue, value: unknown): string[] {
  const place = formatOutputPlace(issue.path);
  const found = readOutputValue(value, issue.path);
  switch (issue.code) {
    case 'invalid_type':
      return found === undefined
        ? [`${place} is missing; it must be ${typeName(issue.expected)}.`]
        : [`${place} must be ${typeName(issue.expected)}, not ${typeWord(found)}.`];
    case 'invalid_value':
      return [`${place} must be one of ${issue.values.map(String).join(', ')}, not ${typeWord(found)}.`];
    case 'invalid_union':
      return [`${place} fits none of the forms that the schema allows; it is ${typeWord(found)}.`];
    case 'too_small':
      return [`${place} must ${verbOfOrigin(issue.origin)} at least ${issue.minimum}.`];
    case 'too_big':
      return [`${place} must ${verbOfOrigin(issue.origin)} at most ${issue.maximum}.`];
    default:
      return [`${place}: ${issue.message}.`];
  }
}

function verbOfOrigin(origin: string): string {
  if (origin === 'string') return 'have a length of';
  return origin === 'array' ? 'hold' : 'be';
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function typeName(type: string): string {
  return TYPE_NAMES[type] ?? type;
}

/** The description of a value for the model. Quotes short values. */
function typeWord(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? `the string "${quoteText(value, MAX_QUOTE)}"` : String(value);
}

/** `"a.b[0]"`. */
function formatOutputPlace(path: readonly PropertyKey[]): string {
  const text = path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');
  return `"${quoteText(text, MAX_QUOTE)}"`;
}

/** The value at the place of a fault: all but the last key of its path exist. */
function readOutputValue(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((found, key) => (found as Record<PropertyKey, unknown>)[key], value);
}

// The validator of a structured answer: the schema that `outputSchema` makes, as a zod schema. It knows the
// keywords of that schema and no others.

function makeValidator(schema: JsonObject): z.ZodType {
  const { type, anyOf, enum: choices } = schema;
  if (asArray(anyOf).length > 0) return z.union(asArray(anyOf).map((one) => makeValidator(asObject(one))));
  if (asArray(choices).length > 0) return z.literal(asArray(choices) as z.core.util.Literal[]);
  if (Array.isArray(type)) return z.union(type.map((one) => makeValidator({ ...schema, type: one })));
  switch (type) {
    case 'string':
      return withLimits(z.string(), schema.minLength, schema.maxLength);
    case 'number':
      return withLimits(z.number(), schema.minimum, schema.maximum);
    case 'integer':
      return withLimits(z.int(), schema.minimum, schema.maximum);
    case 'boolean':
      return z.boolean();
    case 'null':
      return z.null();
    case 'array':
      return withLimits(z.array(makeValidator(asObject(schema.items))), schema.minItems, schema.maxItems);
    case 'object':
      return objectValidator(schema);
    default:
      return z.unknown();
  }
}

function objectValidator({ properties, required }: JsonObject): z.ZodType {
  const fields = Object.entries(asObject(properties)).map(([name, field]) => {
    const validator = makeValidator(isObject(field) ? field : {});
    return [name, asArray(required).includes(name) ? validator : validator.optional()] as const;
  });
  return z.looseObject(Object.fromEntries(fields));
}

function withLimits<V extends { min(limit: number): V; max(limit: number): V }>(
  validator: V,
  least: unknown,
  most: unknown,
): V {
  const above = typeof least === 'number' ? validator.min(least) : validator;
  return typeof most === 'number' ? above.max(most) : above;
}
