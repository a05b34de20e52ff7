// Two schemas that hold at the same time as one: members of `allOf`, a reference and what stands beside it.

import { asArray, asObject, isObject, type JsonObject } from '../json.ts';

/**
 * Everything both schemas say, as far as one schema can. Properties both have, `items` and lists of values are merged
 * too; of other keywords the first schema's wins.
 */
export function mergeSchemas(a: JsonObject, b: JsonObject): JsonObject {
  const merged: JsonObject = { ...b, ...a };
  if (isObject(a.properties) && isObject(b.properties)) {
    merged.properties = mergeProperties(a.properties, b.properties);
  }
  if (isObject(a.items) && isObject(b.items)) merged.items = mergeSchemas(a.items, b.items);
  const required = new Set([...asArray(a.required), ...asArray(b.required)]);
  if (required.size > 0) merged.required = [...required];
  const values = new Set(asArray(b.enum));
  const common = asArray(a.enum).filter((value) => values.has(value));
  if (common.length > 0) merged.enum = common;
  return merged;
}

function mergeProperties(a: JsonObject, b: JsonObject): JsonObject {
  const both = Object.entries(a).map(([name, value]) => [
    name,
    Object.hasOwn(b, name) ? mergeSchemas(asObject(value), asObject(b[name])) : value,
  ]);
  return { ...b, ...Object.fromEntries(both) };
}
