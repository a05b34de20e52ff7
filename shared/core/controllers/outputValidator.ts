// The validator of a structured answer: the schema that `outputSchema` makes, as a zod schema. It knows the
// keywords of that schema and no others.

import * as z from 'zod';
import { asArray, asObject, isObject, type JsonObject } from '../../text/json.ts';
import { memoized } from '../../text/memo.ts';

/**
 * The validator of a schema, which is the same object for all answers of an iteration. Properties that it
 * does not name are let through.
 */
export const validatorOf: (schema: JsonObject) => z.ZodType = memoized(makeValidator);

function makeValidator(schema: JsonObject): z.ZodType {
  const { type, anyOf, enum: choices } = schema;
  if (asArray(anyOf).length > 0) return z.union(asArray(anyOf).map((one) => makeValidator(asObject(one))));
  if (asArray(choices).length > 0) return z.literal(asArray(choices) as z.core.util.Literal[]);
  if (Array.isArray(type)) return z.union(type.map((one) => makeValidator({ ...schema, type: one })));
  switch (type) {
    case 'string':
      return withLimits(z.string(), schema.minLength, schema.maxLength);
    case 'number':
      return withLimits(z.number(), schema.minimum, schema.maximum);
    case 'integer':
      return withLimits(z.int(), schema.minimum, schema.maximum);
    case 'boolean':
      return z.boolean();
    case 'null':
      return z.null();
    case 'array':
      return withLimits(z.array(makeValidator(asObject(schema.items))), schema.minItems, schema.maxItems);
    case 'object':
      return objectValidator(schema);
    default:
      return z.unknown();
  }
}

function objectValidator({ properties, required }: JsonObject): z.ZodType {
  const fields = Object.entries(asObject(properties)).map(([name, field]) => {
    const validator = makeValidator(isObject(field) ? field : {});
    return [name, asArray(required).includes(name) ? validator : validator.optional()] as const;
  });
  return z.looseObject(Object.fromEntries(fields));
}

function withLimits<V extends { min(limit: number): V; max(limit: number): V }>(
  validator: V,
  least: unknown,
  most: unknown,
): V {
  const above = typeof least === 'number' ? validator.min(least) : validator;
  return typeof most === 'number' ? above.max(most) : above;
}
