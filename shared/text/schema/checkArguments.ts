// Checks the arguments of a call against its tool's input schema. Not a validator: it reports only certain
// mistakes (a missing argument, an unknown one, a wrong type) and leaves the rest (patterns, formats, ranges)
// to the tool. Validators compile patterns, follow references without end or throw for schemas they do not
// know, and schemas come from servers.

import { quoteText } from '../cut.ts';
import { asArray, isObject, type JsonObject } from '../json.ts';
import { resolveReference } from './resolveReference.ts';

/** Maximum number of schemas checked for one call. Accepts everything beyond it. */
const MAX_STEPS = 20_000;
/** Levels of values, and of references and alternatives, that are checked. */
const MAX_DEPTH = 64;
/** Longest name in a message, in characters, and how many names are listed. */
const MAX_NAME = 100;
const MAX_NAMES = 50;
/** Longer lists of types and references are not read: no server needs them in every value. */
const MAX_TYPES = 16;
const MAX_REFERENCE = 500;
/** An integer that is not exact as a number is passed on as text; the tool reads it or not. */
const LONG_INTEGER = /^-?\d{16,}$/;

interface Fault {
  /** Where: `a.b[0]`; empty for the arguments as a whole. */
  path: string;
  /** In words, when it is not a wrong type. */
  problem?: string;
  /** The types that were expected, when it is. */
  types: string[];
  /** The type of the value; empty with `problem`. */
  actual: string;
}

interface Check {
  /** The whole schema, which references are resolved in. */
  root: unknown;
  /** Schemas checked so far; the check accepts everything after `MAX_STEPS`. */
  steps: number;
}

/** A value and its path. */
interface Place {
  /** The value to check, an argument or a part of one. */
  value: unknown;
  /** `a.b[0]`; empty for the arguments as a whole. */
  path: string;
  /** Levels of values, references and alternatives above it. */
  depth: number;
}

/**
 * The fault of the arguments, in one sentence that names the argument; undefined when there is none. `{input:
 * …}` wraps text that could not be read as arguments: it is a fault where the schema lists arguments without
 * `input`.
 * @param schema of any origin. No schema makes it throw, and all schemas have a low cost.
 */
export function checkArguments(schema: unknown, args: JsonObject): string | undefined {
  const place: Place = { value: args, path: '', depth: 0 };
  const fault = unreadInput(schema, args) ?? findFault(schema, place, { root: schema, steps: 0 });
  if (fault === undefined) return undefined;
  return fault.problem ?? wrongType(fault);
}

function unreadInput(schema: unknown, args: JsonObject): Fault | undefined {
  if (Object.keys(args).join() !== 'input' || !isObject(schema)) return undefined;
  const { properties, additionalProperties, patternProperties } = schema;
  const isOpen =
    isObject(additionalProperties) || additionalProperties === true || isObject(patternProperties);
  const isComposed = ['$ref', 'allOf', 'anyOf', 'oneOf'].some((keyword) => Object.hasOwn(schema, keyword));
  if (!isObject(properties) || Object.hasOwn(properties, 'input') || isOpen || isComposed) return undefined;
  return unknownArgument('input', 'input', properties);
}

function findFault(schema: unknown, place: Place, check: Check): Fault | undefined {
  check.steps += 1;
  if (check.steps > MAX_STEPS || place.depth > MAX_DEPTH) return undefined;
  if (schema === false)
    return problemFault(place.path, `The argument ${quoteArgumentName(place.path)} is not allowed.`);
  if (!isObject(schema)) return undefined;
  return (
    faultOfType(schema, place) ??
    faultOfParts(schema, { ...place, depth: place.depth + 1 }, check) ??
    (isObject(place.value) ? faultOfObject(schema, place.value, place, check) : undefined) ??
    (Array.isArray(place.value) ? faultOfList(schema, place.value, place, check) : undefined)
  );
}

function faultOfType(schema: JsonObject, { value, path }: Place): Fault | undefined {
  const all = Array.isArray(schema.type) ? schema.type : [schema.type];
  const types = all.length > MAX_TYPES ? [] : all.filter(isTypeName);
  if (types.length === 0 || (value === null && schema.nullable === true)) return undefined;
  return types.some((type) => isOfType(type, value))
    ? undefined
    : { path, types, actual: nameValueType(value) };
}

/** References, and schemas that hold together or as alternatives. */
function faultOfParts(schema: JsonObject, place: Place, check: Check): Fault | undefined {
  if (typeof schema.$ref === 'string' && schema.$ref.length <= MAX_REFERENCE) {
    const fault = findFault(resolveReference(check.root, schema.$ref), place, check);
    if (fault !== undefined) return fault;
  }
  for (const part of asArray(schema.allOf)) {
    const fault = findFault(part, place, check);
    if (fault !== undefined || check.steps > MAX_STEPS) return fault;
  }
  return faultOfAll(schema.anyOf, place, check) ?? faultOfAll(schema.oneOf, place, check);
}

/** The fault of alternatives none of which fits; wrong types are put together. */
function faultOfAll(alternatives: unknown, place: Place, check: Check): Fault | undefined {
  const faults: Fault[] = [];
  for (const alternative of asArray(alternatives)) {
    const fault = findFault(alternative, place, check);
    if (fault === undefined) return undefined;
    faults.push(fault);
  }
  const [first] = faults;
  const types = faults.every(({ path }) => path === place.path) ? faults.flatMap((fault) => fault.types) : [];
  // An alternative of the right type is more informative than one of a different type.
  const nearest = faults.find(({ path, problem }) => path !== place.path || problem !== undefined) ?? first;
  return nearest === first && first !== undefined && types.length > 0 ? { ...first, types } : nearest;
}

function faultOfObject(
  schema: JsonObject,
  value: JsonObject,
  { path, depth }: Place,
  check: Check,
): Fault | undefined {
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const name of asArray(schema.required)) {
    check.steps += 1;
    if (check.steps > MAX_STEPS) return undefined;
    if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
    return problemFault(path, `The argument ${quoteArgumentName(joinArgumentPath(path, name))} is missing.`);
  }
  for (const [name, inner] of Object.entries(value)) {
    const innerPath = joinArgumentPath(path, name);
    const isDeclared = Object.hasOwn(properties, name);
    if (!isDeclared && isClosed(schema)) return unknownArgument(innerPath, name, properties);
    const innerSchema = isDeclared ? properties[name] : additionalSchema(schema);
    const fault = findFault(innerSchema, { value: inner, path: innerPath, depth: depth + 1 }, check);
    if (fault !== undefined || check.steps > MAX_STEPS) return fault;
  }
  return undefined;
}

/** Does not match names against patterns: a schema with patterns is open. */
function isClosed({ additionalProperties, patternProperties }: JsonObject): boolean {
  return additionalProperties === false && !isObject(patternProperties);
}

function additionalSchema({ additionalProperties, patternProperties }: JsonObject): unknown {
  return isObject(patternProperties) ? undefined : additionalProperties;
}

function faultOfList(
  { items, prefixItems }: JsonObject,
  value: unknown[],
  { path, depth }: Place,
  check: Check,
): Fault | undefined {
  const tuple = Array.isArray(items) ? items : asArray(prefixItems);
  const others = Array.isArray(items) ? undefined : items;
  for (const [index, inner] of value.entries()) {
    const schema = index < tuple.length ? tuple[index] : others;
    const fault = findFault(schema, { value: inner, path: `${path}[${index}]`, depth: depth + 1 }, check);
    if (fault !== undefined || check.steps > MAX_STEPS) return fault;
  }
  return undefined;
}

const IS_OF_TYPE: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' || isLongInteger(value),
  integer: (value) => Number.isInteger(value) || isLongInteger(value),
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  null: (value) => value === null,
};

function isTypeName(type: unknown): type is string {
  return typeof type === 'string' && Object.hasOwn(IS_OF_TYPE, type);
}

function isOfType(type: string, value: unknown): boolean {
  return IS_OF_TYPE[type]?.(value) ?? true;
}

function isLongInteger(value: unknown): boolean {
  return typeof value === 'string' && LONG_INTEGER.test(value);
}

function nameValueType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function problemFault(path: string, sentence: string): Fault {
  return { path, problem: sentence, types: [], actual: '' };
}

function unknownArgument(path: string, name: string, properties: JsonObject): Fault {
  const known = Object.keys(properties);
  const listed = known.slice(0, MAX_NAMES).map((one) => quoteText(one, MAX_NAME));
  const more = known.length > listed.length ? ' and more' : '';
  const names = known.length === 0 ? 'There are none.' : `There are ${listed.join(', ')}${more}.`;
  const parent = path === name ? '' : ` of ${quoteArgumentName(path.slice(0, -name.length - 1))}`;
  return problemFault(path, `There is no argument ${quoteArgumentName(name)}${parent}. ${names}`);
}

function wrongType({ path, types, actual }: Fault): string {
  const subject = path === '' ? 'The arguments' : `The argument ${quoteArgumentName(path)}`;
  return `${subject} must be of type ${[...new Set(types)].join(' or ')}, not ${actual}.`;
}

function joinArgumentPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function quoteArgumentName(path: string): string {
  return `"${quoteText(path, MAX_NAME)}"`;
}
