// Reads the first JSON object of a text, ignores the rest, and completes missing last brackets.

import { isObject, type JsonObject, parseJson } from '../json.ts';

/** An object and where it ends. */
export interface FirstObject {
  value: JsonObject;
  /** Index after its last character in the text. */
  end: number;
  /** Whether its last brackets were missing. */
  isCompleted: boolean;
}

const CLOSING: Record<string, string> = { '{': '}', '[': ']' };
/** Longer than any safe integer has. */
const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d+$/;

/** The object at the start of `text`; undefined without one. Never throws; linear time. */
export function readFirstObject(text: string): FirstObject | undefined {
  if (!text.startsWith('{')) return undefined;
  const open: string[] = [];
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (inString) {
      if (character === '\\') index += 1;
      else inString = character !== '"';
      continue;
    }
    const closing = CLOSING[character];
    if (character === '"') inString = true;
    else if (closing !== undefined) open.push(closing);
    else if (character === '}' || character === ']') {
      if (open.pop() !== character) return undefined;
      if (open.length === 0) return parseClosedObject(text.slice(0, index + 1), index + 1, false);
    }
  }
  if (inString) return undefined;
  const whole = text.trimEnd();
  return parseClosedObject(whole + open.reverse().join(''), whole.length, true);
}

function parseClosedObject(json: string, end: number, isCompleted: boolean): FirstObject | undefined {
  const value = parseExactJson(json) ?? parseExactJson(escapeBreaks(json));
  return isObject(value) ? { value, end, isCompleted } : undefined;
}

const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The JSON with raw line breaks and tabs in its strings escaped: models write scripts that way. */
function escapeBreaks(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"/gs, (string) =>
    string.replace(/[\n\r\t]/g, (character) => ESCAPES[character] ?? character),
  );
}

/** The parsed text; undefined if not JSON. Integers that are not exact as numbers stay text. */
export function parseExactJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return parseJson(text);
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    // Not JSON, or nested so deeply that the stack ends.
    return undefined;
  }
}

function keepDigits(_: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value;
  return INTEGER.test(source) && String(value) !== source ? source : value;
}
