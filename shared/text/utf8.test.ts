import { describe, expect, it } from 'vitest';
import { boundaryAfter, boundaryBefore, cutToBytes } from './utf8.ts';

const bytes = Buffer.from('aé😀');

describe('boundaryBefore and boundaryAfter', () => {
  it.each([
    ['at a character', 1, 1, 1],
    ['inside two bytes', 2, 1, 3],
    ['inside four bytes', 5, 3, 7],
    ['at the end', 7, 7, 7],
    ['at the start', 0, 0, 0],
  ])('%s', (_name, index, before, after) => {
    expect(boundaryBefore(bytes, index)).toBe(before);
    expect(boundaryAfter(bytes, index)).toBe(after);
  });
});

describe('cutToBytes', () => {
  it.each([
    [-1, ''],
    [0, ''],
    [1, 'a'],
    [2, 'a'],
    [3, 'aé'],
    [6, 'aé'],
    [7, 'aé😀'],
    [8, 'aé😀'],
  ])('keeps the characters that fit in %i bytes', (maxBytes, expected) => {
    expect(cutToBytes('aé😀', maxBytes)).toBe(expected);
  });
});
