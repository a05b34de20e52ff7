// The schemas inside a schema that holds only the keywords of `plainSchema`.

import { isObject, type JsonObject } from '../json.ts';

/** A copy with every schema directly inside it replaced. */
export function mapSubschemas(schema: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const changed = (value: unknown) => (isObject(value) ? change(value) : value);
  const result = { ...schema };
  for (const keyword of ['items', 'additionalProperties']) {
    if (isObject(schema[keyword])) result[keyword] = changed(schema[keyword]);
  }
  for (const keyword of ['anyOf', 'prefixItems']) {
    const list = schema[keyword];
    if (Array.isArray(list)) result[keyword] = list.map(changed);
  }
  if (isObject(schema.properties)) {
    const entries = Object.entries(schema.properties);
    result.properties = Object.fromEntries(entries.map(([name, value]) => [name, changed(value)]));
  }
  return result;
}
