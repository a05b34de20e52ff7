import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../json.ts';
import { checkArguments } from './checkArguments.ts';

const pods = {
  type: 'object',
  properties: {
    namespace: { type: 'string' },
    limit: { type: 'integer' },
    labels: { type: 'array', items: { type: 'string' } },
    options: {
      type: 'object',
      properties: { wide: { type: 'boolean' } },
      required: ['wide'],
      additionalProperties: false,
    },
  },
  required: ['namespace'],
  additionalProperties: false,
};

describe('arguments that fit', () => {
  it.each([
    { namespace: 'shop' },
    { namespace: '', limit: 5, labels: [], options: { wide: true } },
    { namespace: 'shop', limit: 1e3, labels: ['a', 'b'] },
    { namespace: 'shop', limit: '12345678901234567890' },
  ])('%j', (args) => {
    expect(checkArguments(pods, args)).toBeUndefined();
  });

  it.each([
    ['an empty schema', {}],
    ['a schema without properties', { type: 'object' }],
    ['an open schema', { type: 'object', properties: { a: {} }, additionalProperties: true }],
    [
      'a schema with patterns',
      { properties: {}, patternProperties: { '^i': {} }, additionalProperties: false },
    ],
    ['no schema', undefined],
    ['a schema of another kind', 'object'],
    ['true', true],
    ['unknown words', { type: 'thing', properties: 7, required: 'input', anyOf: 3, items: 1 }],
  ])('anything, for %s', (_, schema) => {
    expect(checkArguments(schema, { input: 'x' })).toBeUndefined();
  });

  it('alternatives, null and references', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        b: { type: ['string', 'null'] },
        c: { type: 'string', nullable: true },
        d: { $ref: '#/$defs/json' },
        e: { oneOf: [{ type: 'string' }, { type: 'object', required: ['x'] }] },
      },
      $defs: {
        json: { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/json' } }] },
      },
    };
    for (const args of [
      { a: 1, b: 'x', c: 'x', d: ['x', ['y', []]], e: 'x' },
      { a: null, b: null, c: null, d: 'x', e: { x: 1 } },
    ]) {
      expect(checkArguments(schema, args)).toBeUndefined();
    }
  });

  it('keywords that only the tool can judge: patterns, ranges, choices, formats', () => {
    const schema = {
      properties: { a: { type: 'string', pattern: '^(x+x+)+y$', enum: ['b'], maxLength: 1, format: 'uri' } },
    };
    expect(checkArguments(schema, { a: 'x'.repeat(100) })).toBeUndefined();
  });
});

describe('a fault names the argument', () => {
  it.each([
    [{}, 'The argument "namespace" is missing.'],
    [{ limit: 5 }, 'The argument "namespace" is missing.'],
    [
      { namespace: 'shop', pod: 'web' },
      'There is no argument "pod". There are namespace, limit, labels, options.',
    ],
    [{ namespace: 5 }, 'The argument "namespace" must be of type string, not number.'],
    [{ namespace: null }, 'The argument "namespace" must be of type string, not null.'],
    [{ namespace: 'shop', limit: '5' }, 'The argument "limit" must be of type integer, not string.'],
    [{ namespace: 'shop', limit: 1.5 }, 'The argument "limit" must be of type integer, not number.'],
    [{ namespace: 'shop', labels: 'a' }, 'The argument "labels" must be of type array, not string.'],
    [{ namespace: 'shop', labels: ['a', 1] }, 'The argument "labels[1]" must be of type string, not number.'],
    [{ namespace: 'shop', options: {} }, 'The argument "options.wide" is missing.'],
    [{ namespace: 'shop', options: [] }, 'The argument "options" must be of type object, not array.'],
    [
      { namespace: 'shop', options: { wide: true, x: 1 } },
      'There is no argument "x" of "options". There are wide.',
    ],
    [{ input: 'the shop' }, 'There is no argument "input". There are namespace, limit, labels, options.'],
  ])('%j', (args, fault) => {
    expect(checkArguments(pods, args)).toBe(fault);
  });

  it('`input` is one where the tool has no such argument, also in an open schema', () => {
    expect(checkArguments({ properties: { pod: {} } }, { input: 'x' })).toBe(
      'There is no argument "input". There are pod.',
    );
    expect(checkArguments({ type: 'object', properties: {} }, { input: 'x' })).toBe(
      'There is no argument "input". There are none.',
    );
    expect(checkArguments({ properties: { input: {} } }, { input: 'x' })).toBeUndefined();
    expect(checkArguments({ properties: { pod: {} } }, { input: 'x', pod: 'y' })).toBeUndefined();
  });

  it('in alternatives, references and parts', () => {
    const types = { properties: { a: { anyOf: [{ type: 'integer' }, { type: 'null' }] } } };
    expect(checkArguments(types, { a: 'x' })).toBe(
      'The argument "a" must be of type integer or null, not string.',
    );
    const nested = {
      properties: { a: { oneOf: [{ type: 'string' }, { type: 'object', required: ['x'] }] } },
    };
    expect(checkArguments(nested, { a: {} })).toBe('The argument "a.x" is missing.');
    const composed = {
      allOf: [{ $ref: '#/$defs/base' }, { required: ['b'] }],
      $defs: { base: { required: ['a'] } },
    };
    expect(checkArguments(composed, { b: 1 })).toBe('The argument "a" is missing.');
    expect(checkArguments(composed, { a: 1 })).toBe('The argument "b" is missing.');
    const forbidden = { properties: { a: false } };
    expect(checkArguments(forbidden, { a: 1 })).toBe('The argument "a" is not allowed.');
    expect(checkArguments({ additionalProperties: { type: 'string' } }, { a: 1 })).toMatch(/"a" must be/);
  });

  it('in few words, however long its name is', () => {
    const many = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`${index}${'x'.repeat(5000)}`, {}]),
    );
    const fault = checkArguments(
      { properties: many, additionalProperties: false },
      { ['y'.repeat(100_000)]: 1 },
    );
    expect(fault?.length).toBeLessThan(10_000);
  });
});

describe('a hostile schema', () => {
  const nested = (depth: number) => parseJson(`${'{"items":'.repeat(depth)}{}${'}'.repeat(depth)}`);

  it.each([
    ['refers to itself', { $ref: '#' }],
    ['refers in a circle', { $ref: '#/a', a: { $ref: '#/b' }, b: { $ref: '#/a' } }],
    ['multiplies', { $ref: '#/a', a: { allOf: Array(50).fill({ $ref: '#/a' }) } }],
    ['has endless alternatives', { anyOf: Array(2_000_000).fill({ type: 'string' }) }],
    ['requires without end', { required: Array(2_000_000).fill(1) }],
    ['has endless types', { additionalProperties: { items: { type: Array(100_000).fill('x') } } }],
    ['has endless references', { additionalProperties: { items: { $ref: `#${'/a'.repeat(100_000)}` } } }],
    ['is nested without end', nested(100_000)],
    ['names a prototype', { $ref: '#/constructor/prototype', required: ['toString'] }],
    [
      'has references of another kind',
      { $ref: 'https://example.com/%zz', properties: { a: { $ref: '#/%zz' } } },
    ],
  ])('that %s costs little and never throws', (_, schema) => {
    const args = { a: Array.from({ length: 10_000 }, (_, index) => index), b: nested(5000) };
    expect(() => checkArguments(schema, args)).not.toThrow();
  });

  it('of any shape never throws', () => {
    const keyword = fc.constantFrom(
      ...[
        'type',
        'properties',
        'required',
        'items',
        'anyOf',
        'oneOf',
        'allOf',
        '$ref',
        'additionalProperties',
      ],
      ...['prefixItems', 'patternProperties', 'nullable', 'a', 'string', 'object', '#', '#/properties/a'],
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 5 },
        keyword,
        fc.constantFrom(true, false, null, 1),
        fc.array(tie('schema'), { maxLength: 4 }),
        fc.dictionary(keyword, tie('schema'), { maxKeys: 5 }),
      ),
    }));
    const args = fc.dictionary(fc.constantFrom('a', 'input', 'string'), fc.jsonValue());
    fc.assert(
      fc.property(schema, args, (anySchema, anyArgs) => {
        const fault = checkArguments(anySchema, anyArgs);
        expect(fault === undefined || fault.length > 0).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
