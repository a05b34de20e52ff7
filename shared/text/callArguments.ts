// Converts the arguments that a model wrote for a call into the object that MCP requires.

import { isObject, type JsonObject, parseJson } from './json.ts';

/**
 * The arguments of a call. Blank text means none; JSON that is not an object becomes `{input: value}`; text
 * that is not JSON becomes `{input: text}`, so that the tool's own validation reports the expected form.
 */
export function parseCallArguments(text: string): JsonObject {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  return isObject(value) ? value : { input: value === undefined ? text : value };
}
