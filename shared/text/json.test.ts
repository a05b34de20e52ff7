import { describe, expect, it } from 'vitest';
import { asArray, asObject, asText, isObject, parseJson } from './json.ts';

describe('values of another shape', () => {
  it.each([[null], [[1]], ['a'], [1], [undefined]])('%j is no object', (value) => {
    expect(isObject(value)).toBe(false);
    expect(asObject(value)).toEqual({});
  });

  it('give an empty list and no text', () => {
    expect(asArray({ 0: 'a' })).toEqual([]);
    expect(asText('')).toBeUndefined();
    expect(asText(1)).toBeUndefined();
  });
});

describe('parseJson', () => {
  it.each([
    ['{"a":[1]}', { a: [1] }],
    ['null', null],
    ['{"a":', undefined],
    ['', undefined],
  ])('%j is %j', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });
});
