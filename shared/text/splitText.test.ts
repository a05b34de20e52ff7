import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitText } from './splitText.ts';

describe('splitText', () => {
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
