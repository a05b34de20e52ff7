import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUtf16Converter } from './utf8Offsets.ts';

describe('createUtf16Converter', () => {
  it('counts a character of two, three and four bytes as one, one and two units', () => {
    const offset = createUtf16Converter('aü€🔥b');
    expect([0, 1, 3, 6, 10].map(offset)).toEqual([0, 1, 2, 3, 5]);
  });

  it('gives the character in which a byte lies', () => {
    const offset = createUtf16Converter('ü🔥b');
    expect([1, 3, 4, 5].map(offset)).toEqual([0, 1, 1, 1]);
  });

  it('gives the length at and beyond the end', () => {
    expect([2, 3, 1e15].map(createUtf16Converter('é'))).toEqual([1, 1, 1]);
    expect(createUtf16Converter('')(0)).toBe(0);
  });

  it('agrees with the encoder at the start of every character of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const offset = createUtf16Converter(text);
        let index = 0;
        for (const character of text) {
          expect(offset(Buffer.byteLength(text.slice(0, index)))).toBe(index);
          index += character.length;
        }
      }),
    );
  });

  it('never points between the halves of a pair, whatever the offset', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(200), (text, byteOffset) => {
        const index = createUtf16Converter(text)(byteOffset);
        expect(text.slice(0, index).isWellFormed()).toBe(true);
      }),
    );
  });
});
