import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchesGlob } from './glob.ts';

it.each([
  ['shop', 'shop', true],
  ['shop', 'sho', false],
  ['shop', 'Shop', false],
  ['shop-eu', 'shop-*', true],
  ['shop-', 'shop-*', true],
  ['shop', 'shop-*', false],
  ['eu-shop', '*-shop', true],
  ['a-prod-1', '*-prod-*', true],
  ['a-prod', '*-prod-*', false],
  ['', '*', true],
  ['ab', 'ab*b', false],
  ['aXbXc', 'a*b*c', true],
  ['ac', 'a*b*c', false],
  ['a.c', 'a?c', false],
  ['(a|a)*', '(a|a)*', true],
])('%j matches %j: %j', (text, pattern, expected) => {
  expect(matchesGlob(text, pattern)).toBe(expected);
});

it('matches the same as a regular expression', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 });
  fc.assert(
    fc.property(letters, pattern, (text, glob) => {
      expect(matchesGlob(text, glob)).toBe(new RegExp(`^${glob.replaceAll('*', '.*')}$`).test(text));
    }),
  );
});

it('is done with a long hostile text, whatever the pattern', () => {
  expect(matchesGlob('a'.repeat(1_000_000), `${'*a'.repeat(50)}*b`)).toBe(false);
});
