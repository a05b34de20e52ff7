// Turns what a model wrote as the arguments of a call into the object that MCP requires.

import { isObject, type JsonObject, parseJson } from './json.ts';

/**
 * The arguments of a call. Blank text means none; JSON that is not an object becomes `{input: value}`; text that is
 * not JSON becomes `{input: text}`, so that the tool's own validation can say what was expected.
 */
export function parseCallArguments(text: string): JsonObject {
  if (text.trim() === '') return {};
  return parseJsonArguments(text) ?? { input: text };
}

/** Arguments written as JSON: an object as it is, any other value as `{input: value}`; undefined when `text` is not JSON. */
function parseJsonArguments(text: string): JsonObject | undefined {
  const value = parseJson(text);
  if (value === undefined || isObject(value)) return value;
  return { input: value };
}
