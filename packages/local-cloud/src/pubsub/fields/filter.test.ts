import { expect, it } from 'vitest';
import { checkFilter, passesFilter } from './filter.ts';

const a1 = { a: '1' };
const a12 = { a: '12' };
const a1b2 = { a: '1', b: '2' };
const odd = { 'odd key': 'x "y"' };

it.each([
  ['', [{}, a1, a12, a1b2, odd]],
  ['attributes:a', [a1, a12, a1b2]],
  ['NOT attributes:a', [{}, odd]],
  ['-attributes:a', [{}, odd]],
  ['attributes.a = "1"', [a1, a1b2]],
  ['attributes.a="1"', [a1, a1b2]],
  ['attributes.a != "1"', [{}, a12, odd]],
  ['hasPrefix(attributes.a, "1")', [a1, a12, a1b2]],
  ['attributes:a AND attributes.b = "2"', [a1b2]],
  ['attributes:b OR attributes."odd key" = "x \\"y\\""', [a1b2, odd]],
  ['(attributes:a AND NOT attributes:b) OR attributes:"odd key"', [a1, a12, odd]],
  ['attributes:constructor OR hasPrefix(attributes.constructor, "f")', []],
])('%s passes %j', (filter, passed) => {
  expect([{}, a1, a12, a1b2, odd].filter((attributes) => passesFilter(filter, attributes))).toEqual(passed);
});

it.each([
  'attributes',
  'attributes:a AND',
  'attributes:a attributes:b',
  'attributes:a AND attributes:b OR attributes:c',
  'attributes.a = 1',
  'hasprefix(attributes.a, "1")',
  '(attributes:a',
  'attributes.a = "1',
  ' ',
  `attributes:${'a'.repeat(256)}`,
])('%j is refused', (filter) => {
  expect(() => checkFilter(filter)).toThrow(/filter/);
});
