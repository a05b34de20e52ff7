// Reads the text of an Action Input as the arguments of a call. Models write JSON, YAML, pairs or plain text.

import { type Document, isCollection, isMap, isScalar, parseDocument, visit } from 'yaml';
import { parseJsonArguments } from '../../text/callArguments.ts';
import { asObject, type JsonObject } from '../../text/json.ts';
import { parseScalar, readPairs } from './pairs.ts';

/** No tool takes values that are nested deeper, and writing or showing them would overflow the stack. */
const MAX_DEPTH = 64;
/** Longer text, in characters, is read as JSON or not at all: the slowest text of this length takes YAML half a second. */
const MAX_NOTATION_LENGTH = 50_000;

/**
 * The arguments, by the first reading that fits: blank text is `{}`; a JSON object; other JSON as `{input: value}`; YAML
 * with structure; `key: value` or `key=value` pairs; else the text itself as `{input: text}`. Never throws.
 */
export function argumentsOf(text: string): JsonObject {
  const trimmed = text.trim();
  if (trimmed === '') return {};
  const read = parseJsonArguments(trimmed) ?? readNotation(trimmed);
  return read === undefined || isDeeperThan(MAX_DEPTH, read) ? { input: trimmed } : read;
}

function readNotation(text: string): JsonObject | undefined {
  return text.length > MAX_NOTATION_LENGTH ? undefined : (readYamlMapping(text) ?? readPairs(text));
}

/**
 * The mapping in a YAML text that has structure: a list, a mapping or a block of lines as a value, or braces around it
 * (a Python dictionary is valid YAML). Undefined for everything else: flat `key: value` lines are pairs, and YAML with
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
  // The failsafe schema reads every scalar as text, so that values in YAML follow the rules of values in pairs.
  const document: Document = parseDocument(text, {
    schema: 'failsafe',
    logLevel: 'error',
    prettyErrors: false,
    stringKeys: true,
    uniqueKeys: false,
  });
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const { items, flow } = document.contents;
  if (flow !== true && !items.some(({ value }) => isStructured(value))) return undefined;

  visit(document, {
    Scalar(key, node) {
      if (key !== 'key' && node.type === 'PLAIN' && typeof node.value === 'string') {
        node.value = parseScalar(node.value);
      }
    },
  });
  return asObject(document.toJS({ maxAliasCount: 0 }));
}

function isStructured(value: unknown): boolean {
  if (isCollection(value)) return true;
  return isScalar(value) && (value.type === 'BLOCK_LITERAL' || value.type === 'BLOCK_FOLDED');
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
