// Reads the text of an Action Input as the arguments of a call. Models write JSON, YAML, pairs or plain text.

import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import { asObject, type JsonObject } from '../json.ts';
import { ASIDE, MARKS, WRAPPER } from './inputPrefix.ts';
import { type FirstObject, parseExactJson, readFirstObject } from './jsonObject.ts';
import { readLooseObject } from './looseObject.ts';
import { parseScalar, readPairs } from './pairs.ts';
import { removeFence } from './values.ts';

/** No tool takes values that are nested deeper, and writing or showing them would overflow the stack. */
const MAX_DEPTH = 64;
/** Longer text, in characters, is only read as JSON: the slowest of this length takes YAML 0.5 s. */
const MAX_NOTATION_LENGTH = 50_000;

/**
 * The arguments, by the first reading that fits: blank text is `{}`; the JSON object at its start, also one
 * that only lacks its last brackets; other JSON as `{input: value}`; a dictionary (`readLooseObject`), with
 * any text after it; YAML with structure; `key: value` or `key=value` pairs; else the text itself as `{input:
 * text}`. Never throws.
 */
export function parseActionArguments(text: string): JsonObject {
  const trimmed = text.trim();
  if (trimmed === '') return {};
  const value = withoutPrefix(trimmed);
  const read = objectAt(value)?.value ?? parseActionJson(value) ?? readNotation(value);
  return read === undefined || isDeeperThan(MAX_DEPTH, read) ? { input: trimmed } : read;
}

/** The object at the start of an input, and the text after it; undefined when there is none. */
export function objectOfInput(text: string): (FirstObject & { raw: string; rest: string }) | undefined {
  const value = withoutPrefix(text.trim());
  const object = objectAt(value);
  return object && { ...object, raw: value.slice(object.start, object.end), rest: value.slice(object.end) };
}

function objectAt(value: string): (FirstObject & { start: number }) | undefined {
  const start = WRAPPER.exec(value)?.[0].length ?? 0;
  const inner = value.slice(start);
  const object =
    readFirstObject(inner) ?? (inner.length > MAX_NOTATION_LENGTH ? undefined : readLooseObject(inner));
  if (object === undefined) return undefined;
  if (start === 0) return { ...object, start };
  const closing = /^\s*\)/.exec(inner.slice(object.end));
  return closing === null || object.isCompleted ? undefined : { ...object, start, end: start + object.end };
}

/** The value without emphasis and words before it. */
function withoutPrefix(text: string): string {
  const unmarked = text.replace(MARKS, '');
  const value = unmarked.replace(ASIDE, '');
  return value === text ? text : removeFence(value);
}

function parseActionJson(text: string): JsonObject | undefined {
  const value = parseExactJson(text);
  return value === undefined ? undefined : { input: value };
}

function readNotation(text: string): JsonObject | undefined {
  return text.length > MAX_NOTATION_LENGTH ? undefined : (readYamlMapping(text) ?? readPairs(text));
}

/**
 * The mapping in a YAML text that has structure: a list, a mapping or a block of lines as a value, or braces
 * around it (a Python dictionary is valid YAML). Braces count only where every key has a value: `{app="web"}`
 * selects something. Undefined for everything else: flat `key: value` lines are pairs, and YAML with
 * references could make a huge value of a small text.
 */
function readYamlMapping(text: string): JsonObject | undefined {
  if (!/[\n[{]/.test(text)) return undefined;
  try {
    return readMapping(text);
  } catch {
    // Thrown for references, and for nesting that overflows the stack.
    return undefined;
  }
}

function readMapping(text: string): JsonObject | undefined {
  // The failsafe schema reads scalars as text: values in YAML follow the rules of pairs.
  const document: Document = parseDocument(text, {
    schema: 'failsafe',
    logLevel: 'error',
    prettyErrors: false,
    stringKeys: true,
    uniqueKeys: false,
  });
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const { contents } = document;
  if (isSelector(contents)) return undefined;
  if (contents.flow !== true && !contents.items.some(({ value }) => isStructured(value))) return undefined;

  visit(document, {
    Map(_, node) {
      if (!isSelector(node) || !node.range) return undefined;
      return new Scalar(text.slice(node.range[0], node.range[1]));
    },
    Scalar(key, node) {
      if (key !== 'key' && node.type === 'PLAIN' && typeof node.value === 'string') {
        node.value = parseScalar(node.value);
      }
    },
  });
  return asObject(document.toJS({ maxAliasCount: 0 }));
}

/** Whether a mapping in braces has a key without a value. */
function isSelector({ flow, items }: YAMLMap<unknown, unknown>): boolean {
  return flow === true && items.some(({ value }) => value === null || isBlankScalar(value));
}

function isBlankScalar(value: unknown): boolean {
  return isScalar(value) && value.type === 'PLAIN' && value.value === '';
}

function isStructured(value: unknown): boolean {
  if (isCollection(value)) return true;
  return isScalar(value) && (value.type === 'BLOCK_LITERAL' || value.type === 'BLOCK_FOLDED');
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
