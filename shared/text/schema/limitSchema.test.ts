import { describe, expect, it } from 'vitest';
import { limitSchema } from './limitSchema.ts';

const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });
const text = (length: number) => ({ type: 'string', description: 'ä'.repeat(length) });
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const many = (count: number, schema: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema]));

describe('a schema', () => {
  it('that fits exactly stays as it is, and loses text for one byte more', () => {
    const schema = object({ a: text(2_000) });
    const size = bytes(schema);
    // A comma is counted after every member, the last too.
    expect(limitSchema(schema, size + 10)).toBe(schema);
    expect(limitSchema(schema, size - 1)).not.toEqual(schema);
  });

  it('loses the ends of long descriptions first, and short ones stay', () => {
    const schema = object({ a: text(5_000), b: { type: 'string', description: 'B', title: 'T' } });
    expect(limitSchema(schema, 4_000)).toEqual(
      object({
        a: { type: 'string', description: `${'ä'.repeat(1_000)}…` },
        b: { type: 'string', description: 'B' },
      }),
    );
  });

  it('loses the content of deep properties next', () => {
    const list = { type: 'array', items: { type: 'integer', enum: ['x'.repeat(3_000)] } };
    expect(limitSchema(object({ a: list, b: object({ c: list }, { required: ['c'] }) }), 250)).toEqual(
      object({
        a: { type: 'array', items: { type: 'integer' } },
        b: object({ c: { type: 'array', items: { type: 'integer' } } }, { required: ['c'] }),
      }),
    );
    expect(limitSchema(object({ a: object({ c: list }) }), 120)).toEqual(object({ a: { type: 'object' } }));
  });

  it('loses optional properties last, and requires only the remaining ones', () => {
    const limited = limitSchema(object(many(500, text(9)), { required: ['p499'] }), 1_000);
    expect(limited.required).toEqual(['p499']);
    expect(limited.properties).toMatchObject({ p0: { type: 'string' }, p499: { type: 'string' } });
    expect(bytes(limited)).toBeLessThanOrEqual(1_000);
    const names = Object.keys(many(500, {}));
    const required = limitSchema(object(many(500, text(9)), { required: names }), 1_000);
    expect(required.required).toEqual(Object.keys(required.properties as object));
    expect(bytes(required)).toBeLessThanOrEqual(1_000);
  });

  it('of any size is measured without being written', () => {
    const schema = object(many(5_000, text(1_000_000)));
    expect(bytes(limitSchema(schema))).toBeLessThanOrEqual(64 * 1024);
  });

  it('with other large parts becomes one without them', () => {
    const schema = object({}, { anyOf: Array.from({ length: 5_000 }, () => text(1)) });
    expect(limitSchema(schema, 100)).toEqual(object({}));
  });
});
