import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundaryAfter, boundaryBefore, cutText, quoteText, splitText } from './cut.ts';

describe('quoteText', () => {
  it('leaves a text within the limit as it is, and marks one that is cut', () => {
    expect(quoteText('abc', 3)).toBe('abc');
    expect(quoteText('abcd', 3)).toBe('abc…');
  });

  it('leaves no half of a surrogate pair', () => {
    expect(quoteText('a😀b', 2)).toBe('a…');
    expect(quoteText('a😀b', 3)).toBe('a😀…');
  });
});

describe('cutText by characters', () => {
  it('leaves nothing at a limit of 0 or less', () => {
    expect(cutText('abc', 0)).toBe('');
    expect(cutText('abc', -1)).toBe('');
  });

  it('keeps the longest start within the limit that is valid Unicode', () => {
    const text = fc.string({ unit: 'binary', maxLength: 100 }).map((value) => value.toWellFormed());
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 120 }), (value, max) => {
        const cut = cutText(value, max);
        expect(value.startsWith(cut)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(value.length, max - 1));
      }),
    );
  });
});

describe('cutText by words', () => {
  it.each([
    ['the key ghp_abcdef and more', 12, 'the key '],
    ['the key ghp_abcdef and more', 18, 'the key ghp_abcdef'],
    ['{"a":"b","key":"abcdef"}', 18, '{"a":"b","key":"'],
    ['abcdefghij', 4, 'abcd'],
    ['short', 10, 'short'],
  ])('of %j at %i characters leaves %j', (text, max, expected) => {
    expect(cutText(text, max, 'words')).toBe(expected);
  });

  it('cuts a text that is longer than any word', () => {
    expect(cutText(`a ${'x'.repeat(1_000)}`, 900, 'words')).toHaveLength(900);
  });
});

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

describe('cutText by bytes', () => {
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
    expect(cutText('aé😀', maxBytes, 'bytes')).toBe(expected);
  });
});

describe('cutText by last bytes', () => {
  it.each([
    [-1, ''],
    [3, ''],
    [4, '😀'],
    [6, 'é😀'],
    [7, 'aé😀'],
  ])('keeps the characters at the end that fit in %i bytes', (maxBytes, expected) => {
    expect(cutText('aé😀', maxBytes, 'last bytes')).toBe(expected);
  });
});

describe('splitText', () => {
  it('cuts by characters between surrogate pairs', () => {
    expect(splitText('ab😀cd', 3, 'characters')).toEqual(['ab', '😀c', 'd']);
    expect(splitText('', 3, 'characters')).toEqual([]);
  });

  it('leaves a text that fits in one piece, and makes none of an empty one', () => {
    expect(splitText('abc', 4)).toEqual(['abc']);
    expect(splitText('abcd', 4)).toEqual(['abcd']);
    expect(splitText('', 4)).toEqual([]);
  });

  it('never cuts inside a character', () => {
    expect(splitText('aé😀b', 4)).toEqual(['aé', '😀', 'b']);
    expect(splitText('ééé', 5)).toEqual(['éé', 'é']);
  });

  it('gives pieces that are together the text, each within the limit', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 }).map((value) => value.toWellFormed());
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 50 }), (value, maxBytes) => {
        const pieces = splitText(value, maxBytes);
        expect(pieces.join('')).toBe(value);
        for (const piece of pieces) {
          expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(maxBytes);
          expect(piece).not.toBe('');
        }
      }),
    );
  });
});
