import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitText } from './limitText.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
);
const limit = fc.integer({ min: 0, max: 500 });

describe('limitText', () => {
  it('leaves a text within the limit as it is', () => {
    expect(limitText('größer', 8)).toEqual({ content: 'größer', truncated: false });
  });

  it('keeps the start and the end, and states how much is missing', () => {
    const text = `first line\n${'x'.repeat(1_000)}\nlast line`;
    const { content, truncated } = limitText(text, 140);
    expect(truncated).toBe(true);
    expect(content).toMatch(/^first line\nx+\n\[\.\.\. \d+ of 1021 bytes left out \.\.\.\]\nx+\nlast line$/);
  });

  it('is never above the limit, and valid Unicode', () => {
    fc.assert(
      fc.property(anyText, limit, (text, maxBytes) => {
        const { content } = limitText(text, maxBytes);
        expect(Buffer.byteLength(content)).toBeLessThanOrEqual(maxBytes);
        expect(content.isWellFormed()).toBe(true);
      }),
    );
  });

  it('is truncated exactly when the text is over the limit', () => {
    fc.assert(
      fc.property(anyText, limit, (text, maxBytes) => {
        expect(limitText(text, maxBytes).truncated).toBe(Buffer.byteLength(text) > maxBytes);
      }),
    );
  });

  it('counts right: the kept part and the part left out make the whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 120, maxLength: 600 }), (text) => {
        const total = Buffer.byteLength(text);
        const { content } = limitText(text, 100);
        const marker = /\n\[\.\.\. (\d+) of (\d+) bytes left out \.\.\.\]\n/.exec(content);
        const kept = Buffer.byteLength(content) - Buffer.byteLength(marker?.[0] ?? '');
        expect(kept + Number(marker?.[1])).toBe(total);
        expect(Number(marker?.[2])).toBe(total);
      }),
    );
  });

  it('replaces half a surrogate pair', () => {
    expect(limitText('a\ud83d', 10)).toEqual({ content: 'a\ufffd', truncated: false });
  });
});
