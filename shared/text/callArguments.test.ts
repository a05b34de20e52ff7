import { describe, expect, it } from 'vitest';
import { parseCallArguments } from './callArguments.ts';

describe('parseCallArguments', () => {
  it.each([
    ['an object stays', '{"a":{"b":[1]}}', { a: { b: [1] } }],
    ['a string is wrapped', '"pods"', { input: 'pods' }],
    ['a list is wrapped', '[1,2]', { input: [1, 2] }],
    ['null is wrapped', 'null', { input: null }],
    ['text that is not JSON is wrapped', 'namespace=shop', { input: 'namespace=shop' }],
    ['cut JSON is wrapped', '{"a":', { input: '{"a":' }],
    ['blank means no arguments', ' \n', {}],
  ])('%s', (_name, text, expected) => {
    expect(parseCallArguments(text)).toEqual(expected);
  });
});
