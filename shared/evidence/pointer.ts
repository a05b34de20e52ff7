// Finds a value by JSON pointer: in JSON, in JSON within a text, and in texts of an MCP result.

import { asArray, isObject, parseJson } from '../text/json.ts';
import { isStructure } from './documents.ts';
import { tokenizeText } from './tokens.ts';
import { toInstant } from './values.ts';

interface Pointed {
  value: unknown;
  /** The key or index that names it. */
  key: string;
  /** The innermost item of a list that holds it, else the whole document. */
  item: unknown;
}

/** Keys that give the time of a record. */
export const TIME_KEYS = new Set([
  'timestamp',
  '@timestamp',
  'time',
  'ts',
  'date',
  'at',
  'lastTimestamp',
  'eventTime',
  'receiveTimestamp',
  'publishTime',
]);
/** Texts within texts: an MCP result with JSON that has a JSON text. */
const MAX_DEPTH = 4;

/** The value at a pointer (`/status/phase`, also `status.phase`, `#/status/phase`). Undefined without. */
export function pointTo(documents: readonly unknown[], pointer: string): Pointed | undefined {
  const keys = splitPointer(pointer);
  if (keys.length === 0) return undefined;
  for (const document of documents) {
    const found = walkPointer(document, keys, document, 0) ?? walkTexts(document, keys);
    if (found !== undefined) return found;
  }
  return undefined;
}

function splitPointer(pointer: string): string[] {
  const path = pointer.trim().replace(/^#/, '');
  if (path.startsWith('/')) {
    return path
      .slice(1)
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return path
    .replace(/^\$\.?/, '')
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter((key) => key !== '');
}

/** The texts of an MCP result, whose pointers start within them. */
function walkTexts(document: unknown, keys: readonly string[]): Pointed | undefined {
  if (!isObject(document)) return undefined;
  const texts = asArray(document.content).flatMap((part) =>
    isObject(part) && typeof part.text === 'string' ? [parseJson(part.text)] : [],
  );
  for (const text of texts) {
    const found = isStructure(text) ? walkPointer(text, keys, text, 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function walkPointer(
  value: unknown,
  keys: readonly string[],
  item: unknown,
  depth: number,
): Pointed | undefined {
  const [key = '', ...others] = keys;
  if (typeof value === 'string' && depth < MAX_DEPTH) {
    const inner = parseJson(value);
    return isStructure(inner) ? walkPointer(inner, keys, inner, depth + 1) : undefined;
  }
  // The length of a list stands in no result.
  if (!isStructure(value) || !Object.prototype.propertyIsEnumerable.call(value, key)) return undefined;
  const child = (value as Record<string, unknown>)[key];
  const around = Array.isArray(value) && isStructure(child) ? child : item;
  return others.length === 0
    ? { value: child, key, item: around }
    : walkPointer(child, others, around, depth);
}

/** The time of the item that holds a value, in milliseconds since 1970. Undefined where it names none. */
export function timeOfItem({ item }: Pointed): number | undefined {
  if (!isObject(item)) return undefined;
  for (const [key, value] of Object.entries(item)) {
    if (!TIME_KEYS.has(key) || (typeof value !== 'string' && typeof value !== 'number')) continue;
    const first = tokenizeText(String(value)).tokens[0]?.value;
    const instant = first === undefined ? undefined : toInstant(first);
    if (instant !== undefined) return instant;
  }
  return undefined;
}
