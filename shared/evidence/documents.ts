// The JSON documents of a text.

import { isObject, parseJson } from '../text/json.ts';

/** The documents of a text: all of it, its lines, or the part from its first bracket. Empty without JSON. */
export function parseTextDocuments(text: string): unknown[] {
  const whole = parseJson(text);
  if (isStructure(whole)) return [whole];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const parsed = lines.map(parseJson);
  if (lines.length > 1 && parsed.every(isObject)) return [parsed];
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'));
  const part = start === -1 ? undefined : parseJson(text.slice(start, end + 1));
  return isStructure(part) ? [part] : [];
}

/** Whether a value is a list or an object. */
export const isStructure = (value: unknown): boolean => typeof value === 'object' && value !== null;
