import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { quickCheck } from './quickCheck.ts';

const VALUES = [
  undefined,
  null,
  true,
  0,
  -1,
  1,
  1.5,
  2 ** 53,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1n,
  '',
  'a',
  'gemini',
  'long text',
  'é',
  '2026-09-02',
  new Date(0),
  new Date(Number.NaN),
  [],
  ['a'],
  [undefined],
  [[1]],
  {},
  { a: 'a' },
  { a: 'a', b: 1 },
  { a: 'a', b: undefined },
  { a: 'a', c: undefined },
  { a: 1 },
  { kind: 'one', a: 'a' },
  { kind: 'two', b: 1 },
  { kind: 'three' },
  JSON.parse('{ "__proto__": "a" }'),
  new Map(),
  () => 'a',
];

const decided = {
  text: z.string(),
  'text with limits': z.string().min(1).max(4),
  number: z.number(),
  'number with limits': z.number().nonnegative().max(1),
  integer: z.int(),
  'positive integer': z.int().positive(),
  'number from 0 to 1': z.int().min(0).max(1),
  boolean: z.boolean(),
  date: z.date(),
  literal: z.literal(['a', 1]),
  enumeration: z.enum(['a', 'gemini']),
  nullable: z.string().nullable(),
  optional: z.string().optional(),
  list: z.array(z.string()),
  'list with limits': z.array(z.string()).min(1),
  record: z.record(z.string(), z.string()),
  'record with other keys': z.record(z.string().min(2), z.string()),
  object: z.strictObject({ a: z.string(), b: z.int().optional() }),
  union: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('one'), a: z.string() }),
    z.strictObject({ kind: z.literal('two'), b: z.int() }),
  ]),
  'unchanged by a transform': z.string().transform((text) => (text === 'gemini' ? 'google' : text)),
  pattern: z.string().regex(/^a/),
  default: z.string().default('a'),
  'default of a list': z.array(z.string()).default([]),
  'object with a default': z.strictObject({ a: z.string(), b: z.int().default(1) }),
  day: z.iso.date(),
};

const leftToZod = {
  trimmed: z.string().trim(),
  coerced: z.coerce.string(),
  'coerced number': z.coerce.number(),
  'coerced date': z.coerce.date(),
  'optional default': z.string().default('a').optional(),
  'nullable default': z.string().default('a').nullable().optional(),
  'date with limits': z.date().min(new Date(1)),
  'object that drops fields': z.object({ a: z.string() }),
  'object that keeps fields': z.looseObject({ a: z.string() }),
  'object with a rule': z.strictObject({ a: z.string() }).refine(({ a }) => a !== 'a'),
  'object with a transform': z.strictObject({ a: z.string() }).transform(({ a }) => a),
  'record of an enumeration': z.record(z.enum(['a', 'b']), z.string()),
  'union without a field': z.union([z.string().transform(() => 'b'), z.strictObject({ a: z.string() })]),
  intersection: z.intersection(z.strictObject({ a: z.string() }), z.looseObject({})),
  tuple: z.tuple([z.string()]),
  unknown: z.unknown(),
};

const accepts = (schema: z.ZodType, value: unknown): boolean => {
  const result = schema.safeParse(value);
  if (!result.success) return false;
  try {
    expect(result.data).toStrictEqual(value);
    return true;
  } catch {
    return false;
  }
};

describe('a quick check', () => {
  it.each(Object.entries(decided))('decides: %s', (_, schema) => {
    const check = quickCheck(schema);
    const accepted = VALUES.filter((value) => accepts(schema, value));
    expect(VALUES.filter(check)).toEqual(accepted);
    expect(accepted.length).toBeGreaterThan(0);
  });

  it.each(Object.entries(leftToZod))('never accepts a value that zod changes or refuses: %s', (_, schema) => {
    const check = quickCheck(schema);
    for (const value of VALUES.filter(check)) expect(accepts(schema, value)).toBe(true);
  });
});
