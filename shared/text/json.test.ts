import { describe, expect, it } from 'vitest';
import { asArray, asObject, asText, isObject, jsonFault, parseJson } from './json.ts';

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

describe('jsonFault', () => {
  it.each([
    ['{"a": [1, 2]}', undefined],
    ['{"title":', 'line 1, column 10'],
    ['', 'line 1, column 1'],
    ['{"a": 1,}', 'line 1, column 9'],
    ['{\n  "a": nope,\n  "b": 2\n}', 'line 2, column 9'],
    ['{"a": "b" "c": 1}', 'line 1, column 11'],
    ['{"a": 1}\n}', 'line 2, column 1'],
    ["{title: 'Disk full'}", 'line 1, column 2'],
    [`{"text": "at position 7 (line 9",\n "a": x}`, 'line 2, column 7'],
    ['['.repeat(1_000_000), 'line 1, column 1000001'],
  ])('names where %.30j stops being JSON', (text, where) => {
    expect(jsonFault(text)).toBe(where);
  });
});
