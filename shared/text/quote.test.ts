import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAfterWord, cutToCharacters, quoteText } from './quote.ts';

describe('quote', () => {
  it('leaves a text within the limit as it is, and marks one that is cut', () => {
    expect(quoteText('abc', 3)).toBe('abc');
    expect(quoteText('abcd', 3)).toBe('abc…');
  });

  it('leaves no half of a surrogate pair', () => {
    expect(quoteText('a😀b', 2)).toBe('a…');
    expect(quoteText('a😀b', 3)).toBe('a😀…');
  });
});

describe('cutToCharacters', () => {
  it('leaves nothing at a limit of 0 or less', () => {
    expect(cutToCharacters('abc', 0)).toBe('');
    expect(cutToCharacters('abc', -1)).toBe('');
  });

  it('keeps the longest start within the limit that is valid Unicode', () => {
    const text = fc.string({ unit: 'binary', maxLength: 100 }).map((value) => value.toWellFormed());
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 120 }), (value, max) => {
        const cut = cutToCharacters(value, max);
        expect(value.startsWith(cut)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(value.length, max - 1));
      }),
    );
  });
});

describe('cutAfterWord', () => {
  it.each([
    ['the key ghp_abcdef and more', 12, 'the key '],
    ['the key ghp_abcdef and more', 18, 'the key ghp_abcdef'],
    ['{"a":"b","key":"abcdef"}', 18, '{"a":"b","key":"'],
    ['abcdefghij', 4, 'abcd'],
    ['short', 10, 'short'],
  ])('of %j at %i characters leaves %j', (text, max, expected) => {
    expect(cutAfterWord(text, max)).toBe(expected);
  });

  it('cuts a text that is longer than any word', () => {
    expect(cutAfterWord(`a ${'x'.repeat(1_000)}`, 900)).toHaveLength(900);
  });
});
