// What a model wrote as the arguments of a call, made into the object that MCP requires.

/**
 * The arguments of a call. Blank text means none; JSON that is not an object becomes `{input: value}`; text that is
 * not JSON becomes `{input: text}`, so that the tool's own validation can tell the model what was expected.
 */
export function parseCallArguments(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { input: text };
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : { input: value };
}
