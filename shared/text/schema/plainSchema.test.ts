import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainSchema } from './plainSchema.ts';

const EMPTY = { type: 'object', properties: {} };
const property = (schema: unknown, root: object = {}) =>
  (plainSchema({ ...root, type: 'object', properties: { x: schema } }).properties as { x?: unknown }).x;

describe('the top level', () => {
  it.each([
    {},
    true,
    false,
    null,
    [],
    'x',
    { type: 'string' },
    { type: 'object' },
    { $ref: 'https://x/y.json' },
  ])('%j is an object', (schema) => {
    expect(plainSchema(schema)).toEqual(EMPTY);
  });

  it('keeps its alternatives', () => {
    const anyOf = [{ type: 'object', properties: { a: { type: 'string' } } }];
    expect(plainSchema({ anyOf })).toEqual({ ...EMPTY, anyOf });
  });

  it('can be a reference', () => {
    const schema = {
      $ref: '#/definitions/Args',
      definitions: { Args: { type: 'object', properties: { a: { type: 'integer' } } } },
    };
    expect(plainSchema(schema)).toEqual({ type: 'object', properties: { a: { type: 'integer' } } });
  });
});

describe('keywords', () => {
  it('that Gemini knows are kept', () => {
    const schema = {
      type: 'array',
      title: 'T',
      description: 'D',
      minItems: 1,
      maxItems: 3,
      items: { type: ['number', 'null'], minimum: 0, maximum: 9 },
    };
    expect(property(schema)).toEqual(schema);
  });

  it('that Gemini does not know are dropped', () => {
    const schema = {
      type: 'string',
      pattern: '^a',
      minLength: 1,
      format: 'uri',
      examples: ['a'],
      'x-y': 1,
    };
    expect(property(schema, { $schema: 'http://json-schema.org/draft-07/schema#' })).toEqual({
      type: 'string',
    });
  });

  it.each(['a', '', 20, 0.5, false, [], ['a', 1]])('the default %j is kept', (usual) => {
    expect(property({ default: usual })).toEqual({ default: usual });
  });

  it.each([null, {}, [null], [{}], 'a'.repeat(201), 'half \ud83d', Array(21).fill(1), Number.NaN])(
    'the default %j is empty, or too long',
    (usual) => {
      expect(property({ default: usual })).toEqual({});
    },
  );

  it.each([
    [{ const: 'a' }, { enum: ['a'] }],
    [{ enum: ['a', 1, null, true] }, { enum: ['a', 1] }],
    [{ oneOf: [{ type: 'string' }, { const: 5 }] }, { anyOf: [{ type: 'string' }, { enum: [5] }] }],
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date-time' },
    ],
    [
      { type: 'array', items: [{ type: 'string' }] },
      { type: 'array', prefixItems: [{ type: 'string' }] },
    ],
    [{ type: 'nonsense', title: 7, minimum: '1' }, {}],
    [true, {}],
  ])('%j becomes %j', (schema, expected) => {
    expect(property(schema)).toEqual(expected);
  });

  it('allOf is merged', () => {
    const object = (name: string) => ({
      type: 'object',
      properties: { [name]: { type: 'string' } },
      required: [name],
    });
    expect(property({ description: 'both', allOf: [object('a'), object('b')] })).toEqual({
      description: 'both',
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a', 'b'],
    });
  });

  it('allOf keeps the requirements of one member for another', () => {
    const a = { a: { type: 'string' } };
    expect(property({ allOf: [{ properties: a }, { required: ['a', 'b'] }] })).toEqual({
      properties: a,
      required: ['a'],
    });
  });

  it('allOf merges a property that two members have', () => {
    const allOf = [
      { properties: { a: { type: 'string', enum: ['x', 'y'] } } },
      { properties: { a: { description: 'A', enum: ['y', 'z'] } } },
    ];
    expect(property({ allOf })).toEqual({
      properties: { a: { type: 'string', description: 'A', enum: ['y'] } },
    });
  });

  it.each<[unknown[], unknown]>([
    [[{ required: ['a'] }, { required: ['b'] }], undefined],
    [[{ type: 'string' }, { pattern: 'x' }], [{ type: 'string' }]],
    [[{}, { type: 'null' }], undefined],
  ])('of the alternatives %j those with content are kept', (anyOf, expected) => {
    const properties = { a: { type: 'string' }, b: { type: 'string' } };
    expect(property({ type: 'object', properties, anyOf })).toEqual({
      type: 'object',
      properties,
      ...(expected !== undefined && { anyOf: expected }),
    });
  });

  it('required names only existing properties, and impossible properties go', () => {
    const schema = {
      type: 'object',
      properties: { a: {}, b: false },
      required: ['a', 'b', 'c'],
      additionalProperties: false,
    };
    expect(plainSchema(schema)).toEqual({
      type: 'object',
      properties: { a: {} },
      required: ['a'],
      additionalProperties: false,
    });
  });

  it('a property can have the name of a keyword', () => {
    const properties = { pattern: { type: 'string' }, $ref: { type: 'string' } };
    expect(plainSchema({ type: 'object', properties })).toEqual({ type: 'object', properties });
  });
});

describe('references', () => {
  it('are inlined, keywords beside them win', () => {
    const root = { $defs: { 'a/b': { type: 'string', description: 'there' } } };
    expect(property({ $ref: '#/$defs/a~1b', description: 'here' }, root)).toEqual({
      type: 'string',
      description: 'here',
    });
  });

  it('are merged with the properties beside them', () => {
    const target = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const beside = { properties: { b: { type: 'integer' } }, required: ['b'] };
    expect(property({ $ref: '#/$defs/A', ...beside }, { $defs: { A: target } })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      required: expect.toSatisfy((names: string[]) => names.toSorted().join() === 'a,b'),
    });
  });

  it('that recur end in an untyped object', () => {
    const root = { $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } } };
    expect(property({ $ref: '#/$defs/Node' }, root)).toEqual({
      type: 'object',
      properties: { next: { type: 'object' } },
    });
  });

  it('that multiply are cut', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [
        `d${level}`,
        { anyOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] },
      ]),
    );
    expect(JSON.stringify(property({ $ref: '#/$defs/d0' }, { $defs })).length).toBeLessThan(200_000);
  });
});

it('a definition referred to 4,000 times stays within 64 kB', () => {
  const names = Array.from({ length: 4_000 }, (_, index) => `p${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/D' }]));
  const $defs = { D: { type: 'string', description: 'd'.repeat(20_000) } };
  const schema = plainSchema({ type: 'object', properties, required: ['p3999'], $defs });
  expect(JSON.stringify(schema).length).toBeLessThan(64 * 1024);
  expect(schema).toMatchObject({ properties: { p0: { type: 'string' } }, required: ['p3999'] });
});

it('no schema makes it throw, and none is left that names itself', () => {
  const key = fc.constantFrom(
    'type',
    'properties',
    'items',
    'anyOf',
    'allOf',
    '$ref',
    'enum',
    'required',
    'const',
  );
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('#', '#/properties', 'object', '#/%zz'),
  );
  const schema = fc.dictionary(key, fc.oneof(value, fc.dictionary(key, value)));
  fc.assert(fc.property(schema, (one) => plainSchema(one).type === 'object'));
});
