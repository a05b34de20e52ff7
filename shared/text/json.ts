// Reads untyped JSON: a value of another shape gives a default instead of an error.

/** A parsed JSON object whose fields are not known. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one when it is something else. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as a list; an empty one when it is something else. */
export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value when it is a string and not empty, else undefined. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The parsed text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Where a text stops being JSON: `line 3, column 8`, counted from 1. Has no content of the text.
 * @returns undefined for JSON.
 */
export function jsonFault(text: string): string | undefined {
  const fault = parseError(text);
  if (fault === undefined) return undefined;
  const stated = Number(/ at position (\d+)/.exec(fault)?.[1] ?? text.length);
  const before = text.slice(0, isToken(fault) ? wrongToken(text) : stated).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

function parseError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

// The only message without a position that is not about the end of the text.
const isToken = (fault: string | undefined) => fault?.startsWith('Unexpected token') === true;

/** The place of an invalid token: the shortest start of the text with the same fault ends with it. */
function wrongToken(text: string): number {
  let [right, wrong] = [0, text.length];
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2);
    if (isToken(parseError(text.slice(0, middle)))) wrong = middle;
    else right = middle;
  }
  return right;
}

/** UTF-8 bytes of a value as JSON; 0 when it is undefined or nested too deeply to be written. */
export function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return 0;
  }
}
