import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findPositions } from './positionsOf.ts';

it.each([
  ['banana', 'ana', [1, 3]],
  ['aaaa', 'aa', [0, 1, 2]],
  ['abc', 'abcd', []],
  ['abc', '', []],
  ['', 'a', []],
])('in %j, %j starts at %j', (text, pattern, positions) => {
  expect(findPositions(text, pattern)).toEqual(positions);
});

it('finds the same as a plain search', () => {
  const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });
  fc.assert(
    fc.property(letters(60), letters(5), (text, pattern) => {
      const all = [...text].map((_, index) => index);
      const expected = pattern === '' ? [] : all.filter((index) => text.startsWith(pattern, index));
      expect(findPositions(text, pattern)).toEqual(expected);
    }),
  );
});
