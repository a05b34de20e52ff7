// The parts of a REST request put together: its body, the fields that its path sets, and its query.

import protobuf, { type Field, type Type } from 'protobufjs/light.js';
import { StatusError, status } from '../protocol/status.ts';
import { fieldNamed } from './messageJson.ts';
import type { Routed } from './routes.ts';
import { jsonError } from './scalars.ts';
import { findJsonForm } from './wellKnown.ts';

/**
 * Parameters of every method: https://cloud.google.com/apis/docs/system-parameters. They change nothing here.
 */
const SYSTEM = new Set([
  'key',
  'access_token',
  'oauth_token',
  'quotaUser',
  'prettyPrint',
  'uploadType',
  'upload_protocol',
  '.xgafv',
]);

/** `alt` of Google's own REST clients: JSON with the numbers of enums. */
const ENUM_NUMBERS = 'json;enum-encoding=int';

/** How an answer is written. */
export interface AnswerForm {
  /** `numbers` for Google's own REST clients. */
  enums: 'names' | 'numbers';
  /** Spaces for each level; 0 for one line. */
  indent: number;
}

/** The form that a query asks for: by default names of enums, for people. */
export function answerForm(query: string): AnswerForm {
  const values = groupParameters(query);
  const last = (name: string) => [...(values.get(name) ?? []), ...(values.get(`$${name}`) ?? [])].at(-1);
  return {
    enums: last('alt') === ENUM_NUMBERS ? 'numbers' : 'names',
    indent: ['false', '0'].includes(last('prettyPrint') ?? '') ? 0 : 2,
  };
}

type Json = Record<string, unknown>;

/**
 * The request of an RPC in JSON.
 * @param body parsed; undefined when it was empty.
 * @param query that of the address, without the question mark.
 * @throws StatusError INVALID_ARGUMENT, which names the part that does not fit; UNIMPLEMENTED for answers
 * that are no JSON.
 */
export function requestJson({ route, fields }: Routed, body: unknown, query: string): unknown {
  let json: Json = {};
  if (route.body === '*' && body !== undefined) {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw jsonError('', 'has to be an object.');
    }
    // Not assigned: `__proto__` is a name like others, which no message has.
    json = { ...body };
  } else if (route.body !== undefined && route.body !== '*') {
    json[route.body] = body ?? {};
  } else if (route.body === undefined && JSON.stringify(body ?? {}) !== '{}') {
    throw jsonError('', 'this method has no body.');
  }
  for (const [name, values] of groupParameters(query)) {
    if (isSystem(name, values)) continue;
    const field = fieldAt(route.request, name);
    if (route.body === '*' || field === undefined) {
      throw jsonError('', `Unknown name "${name}": Cannot bind query parameter.`);
    }
    setAt(json, route.request, name, queryValue(field, name, values));
  }
  for (const [name, value] of Object.entries(fields)) setAt(json, route.request, name, value);
  return json;
}

function groupParameters(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query))
    values.set(name, [...(values.get(name) ?? []), value]);
  return values;
}

/** @throws StatusError for a parameter that requests another response format. */
function isSystem(parameter: string, values: string[]): boolean {
  const name = parameter.replace(/^\$/, '');
  if (name === 'alt' && values.every((value) => value === 'json' || value === ENUM_NUMBERS)) return true;
  if (['alt', 'fields', 'callback'].includes(name)) {
    throw new StatusError(
      status.INVALID_ARGUMENT,
      `The local cloud answers with whole messages in JSON: leave out the parameter ${parameter}.`,
    );
  }
  return SYSTEM.has(name);
}

/** The field that a path of names leads to: `mask.fieldPaths`. */
function fieldAt(type: Type, path: string): Field | undefined {
  const [name = '', ...rest] = path.split('.');
  const field = fieldNamed(type, name);
  if (field === undefined || rest.length === 0) return field;
  const inner = field.resolvedType;
  if (!(inner instanceof protobuf.Type) || field.repeated || field.map) return undefined;
  return fieldAt(inner, rest.join('.'));
}

function queryValue({ type, repeated, map, resolvedType }: Field, name: string, texts: string[]): unknown {
  const isMessage =
    resolvedType instanceof protobuf.Type && findJsonForm(resolvedType.fullName) === undefined;
  if (map || isMessage) throw jsonError(name, 'cannot be a query parameter.');
  const isBool = type === 'bool' || resolvedType?.fullName === '.google.protobuf.BoolValue';
  const values = texts.map((text) => (isBool && /^(?:true|false)$/.test(text) ? text === 'true' : text));
  if (repeated) return values;
  if (values.length > 1) throw jsonError(name, 'is given twice.');
  return values[0];
}

/** Sets a field of nested objects; those that are missing are made. */
function setAt(json: Json, type: Type, path: string, value: unknown): void {
  const [name = '', ...rest] = path.split('.');
  const field = fieldNamed(type, name);
  if (field === undefined) throw new Error(`${type.fullName} has no field ${name}`);
  // The body can contain the field by its other name.
  for (const other of Object.keys(json)) {
    if (other === field.name || fieldNamed(type, other) !== field) continue;
    json[field.name] = json[other];
    delete json[other];
  }
  if (rest.length === 0) {
    json[field.name] = value;
    return;
  }
  const inner = json[field.name] ?? {};
  if (typeof inner !== 'object' || Array.isArray(inner)) throw jsonError(field.name, 'has to be an object.');
  json[field.name] = inner;
  setAt(inner as Json, field.resolvedType as Type, rest.join('.'), value);
}
