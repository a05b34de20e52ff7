// Bounds the bytes of a parameters schema: definitions that are referred to often are written out as often.

import { quoteText } from '../cut.ts';
import { asArray, asObject, isObject, type JsonObject } from '../json.ts';
import { mapSubschemas } from './subschemas.ts';

/** UTF-8 bytes of a tool's parameters as JSON. Far above usual ones; 20 such tools fit a request. */
const MAX_SCHEMA_BYTES = 64 * 1024;
/** Characters left of each description, tried in this order. */
const DESCRIPTION_LENGTHS = [1_000, 200, 0];
/** Levels of properties left whole, tried in this order. */
const DEPTHS = [8, 4, 2, 1];

/**
 * The schema, at most `maxBytes` long. A longer schema loses, until it fits: ends of descriptions, all
 * titles, descriptions and defaults, the content of deep properties, and last whole properties, the optional
 * ones first.
 */
export function limitSchema(schema: JsonObject, maxBytes: number = MAX_SCHEMA_BYTES): JsonObject {
  if (fitsInBytes(schema, maxBytes)) return schema;
  for (const length of DESCRIPTION_LENGTHS) {
    const shorter = shortenTexts(schema, length);
    if (fitsInBytes(shorter, maxBytes)) return shorter;
  }
  const bare = shortenTexts(schema, 0);
  for (const depth of DEPTHS) {
    const flatter = flattenSchema(bare, depth);
    if (fitsInBytes(flatter, maxBytes)) return flatter;
  }
  return fewerProperties(bare, maxBytes);
}

function fitsInBytes(value: unknown, maxBytes: number): boolean {
  return bytesLeft(value, maxBytes) >= 0;
}

/** `left` less the bytes of the value; stops below 0: the whole can be too long to serialise. */
function bytesLeft(value: unknown, left: number): number {
  if (left < 0) return left;
  if (typeof value === 'string') return left - (value.length > left ? value.length : textBytes(value));
  if (typeof value !== 'object' || value === null) return left - String(value).length;
  let rest = left - 2;
  for (const [key, inner] of Object.entries(value)) {
    if (rest < 0) break;
    // A colon and a comma.
    if (!Array.isArray(value)) rest = bytesLeft(key, rest - 1);
    rest = bytesLeft(inner, rest - 1);
  }
  return rest;
}

function textBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

function shortenTexts(schema: JsonObject, length: number): JsonObject {
  const short = mapSubschemas(schema, (inner) => shortenTexts(inner, length));
  const { title: _, description, default: usual, ...rest } = short;
  if (length === 0) return rest;
  return {
    ...rest,
    ...(usual !== undefined && { default: usual }),
    ...(typeof description === 'string' && { description: quoteText(description, length) }),
  };
}

function flattenSchema(schema: JsonObject, depth: number): JsonObject {
  return depth === 0 ? typeOnly(schema) : mapSubschemas(schema, (inner) => flattenSchema(inner, depth - 1));
}

/** Only the type; of a list, also the type of its items, which some models demand. */
function typeOnly({ type, items }: JsonObject): JsonObject {
  if (type === undefined) return {};
  const isList = asArray(type).includes('array') || type === 'array';
  return { type, ...(isList && { items: isObject(items) ? typeOnly(items) : { type: 'string' } }) };
}

function fewerProperties(schema: JsonObject, maxBytes: number): JsonObject {
  const required = new Set(asArray(schema.required));
  const entries = Object.entries(asObject(schema.properties)).map(
    ([name, value]) => [name, typeOnly(asObject(value))] as const,
  );
  const kept = new Set<string>();
  let left = maxBytes - JSON.stringify({ type: 'object', properties: {}, required: [] }).length;
  for (const isRequired of [true, false]) {
    for (const [name, value] of entries.filter((entry) => required.has(entry[0]) === isRequired)) {
      const rest = bytesLeft(isRequired ? [name, name, value] : [name, value], left);
      if (rest < 0) continue;
      left = rest;
      kept.add(name);
    }
  }
  const names = entries.map(([name]) => name).filter((name) => kept.has(name) && required.has(name));
  return {
    type: 'object',
    properties: Object.fromEntries(entries.filter(([name]) => kept.has(name))),
    ...(names.length > 0 && { required: names }),
  };
}
