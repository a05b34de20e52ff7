import { describe, expect, it } from 'vitest';
import { geminiParameters } from './parameters.ts';

const parameters = (properties: object, rest: object = {}) =>
  geminiParameters({ type: 'object', properties, ...rest });
const property = (schema: object) => {
  const result = parameters({ x: schema });
  return result.kind === 'possible' ? (result.schema.properties as { x?: unknown }).x : result;
};
const ODD_NAMES = ['x-api-key', '$filter', 'a b', '1st', '', 'é', 'a'.repeat(65)];

describe('a property whose name Gemini refuses', () => {
  it.each(ODD_NAMES)('goes when it is optional: %j', (name) => {
    expect(parameters({ [name]: {}, ok_1: { type: 'string' } }, { required: ['ok_1'] })).toEqual({
      kind: 'possible',
      schema: { type: 'object', properties: { ok_1: { type: 'string' } }, required: ['ok_1'] },
    });
  });

  it.each(ODD_NAMES.filter((name) => name !== ''))('makes all impossible when it is required: %j', (name) => {
    expect(parameters({ [name]: {}, ok: {} }, { required: [name] })).toEqual({
      kind: 'impossible',
      properties: [name],
    });
  });

  it('takes the optional object along that requires it', () => {
    const inner = { type: 'object', properties: { $gt: {} }, required: ['$gt'] };
    expect(parameters({ filter: inner })).toMatchObject({ schema: { properties: {} } });
    expect(parameters({ filter: inner }, { required: ['filter'] })).toMatchObject({
      properties: ['filter.$gt'],
    });
    const list = { type: 'array', items: inner };
    expect(parameters({ filters: list }, { required: ['filters'] })).toMatchObject({
      properties: ['filters.[].$gt'],
    });
  });

  it('takes its alternative along, and all only when no other is left', () => {
    const odd = { type: 'object', properties: { $gt: {} }, required: ['$gt'] };
    expect(property({ anyOf: [odd, { type: 'string' }] })).toEqual({ anyOf: [{ type: 'string' }] });
    expect(parameters({ x: { anyOf: [odd] } }, { required: ['x'] })).toMatchObject({ kind: 'impossible' });
  });
});

it.each([
  [
    { type: 'integer', default: 20 },
    { type: 'integer', default: 20, description: 'Default: 20.' },
  ],
  [
    { type: 'string', default: 'a', description: 'Which one' },
    { type: 'string', default: 'a', description: 'Which one\nDefault: "a".' },
  ],
  [
    { anyOf: [{ type: 'integer' }, { type: 'null' }], default: 3 },
    { anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'Default: 3.' },
  ],
])('the default of %j stands in the description', (schema, expected) => {
  expect(property(schema)).toEqual(expected);
});

describe('lists of values', () => {
  it.each([
    [{ enum: ['a', '', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    [{ type: 'string', enum: [''] }, { type: 'string' }],
    [{ enum: ['a', 'a'] }, { type: 'string', enum: ['a'] }],
    [
      { type: ['string', 'null'], enum: ['a', null] },
      { type: ['string', 'null'], enum: ['a'] },
    ],
    [
      { type: 'integer', enum: [1, 2] },
      { type: 'integer', description: 'One of: 1, 2.' },
    ],
    [{ enum: [1, 2.5] }, { type: 'number', description: 'One of: 1, 2.5.' }],
    [{ enum: ['a', 1] }, { type: ['string', 'integer'], description: 'One of: "a", 1.' }],
    [
      { const: 5, description: 'Five' },
      { type: 'integer', description: 'Five\nOne of: 5.' },
    ],
  ])('%j become %j', (schema, expected) => {
    expect(property(schema)).toEqual(expected);
  });
});

describe('items', () => {
  it.each([
    [{ type: 'array' }, { type: 'array', items: { type: 'string' } }],
    [{ type: ['array', 'null'] }, { type: ['array', 'null'], items: { type: 'string' } }],
    [
      { type: 'array', items: { type: 'array' } },
      { type: 'array', items: { type: 'array', items: { type: 'string' } } },
    ],
    [
      { type: 'array', items: [{ type: 'number' }] },
      { type: 'array', prefixItems: [{ type: 'number' }] },
    ],
  ])('%j becomes %j', (schema, expected) => {
    expect(property(schema)).toEqual(expected);
  });
});
