import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAlert } from './index.ts';
import { limitTexts } from './limitTexts.ts';

/** All keys and strings of a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(textsIn)];
}

describe('the texts of a payload', () => {
  it('are all kept below the limit, and at most one above it are kept otherwise', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.integer({ min: 1, max: 8 }), (json, max) => {
        const value: unknown = JSON.parse(json);
        const limited = limitTexts(value, max);
        const before = new Set(textsIn(value));
        const after = new Set(textsIn(limited));
        expect([...after].every((text) => before.has(text))).toBe(true);
        if (typeof value === 'object') expect(after.size).toBeLessThanOrEqual(max + 1);
        if (before.size < max) expect(limited).toBe(value);
      }),
    );
  });

  it('are kept from the outside in, so that a title after a thousand labels is read', () => {
    const labels = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`key${n}`, `value${n}`]));
    expect(limitTexts({ labels, title: 'Full' }, 10)).toMatchObject({ title: 'Full' });
  });

  it('are masked at most 20,000 times, however many an alert has, and no other is stored outside of the body', () => {
    const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`k${n}`, `v${n}`]));
    const body = JSON.stringify({ title: 'Disk full', ...many });
    let masked: unknown;
    const masker = {
      mask: (text: string) => ({ text, count: 0 }),
      maskJson: (value: unknown) => {
        masked = value;
        return { value };
      },
    };
    const reading = readAlert(Buffer.from(body), masker);
    expect(new Set(textsIn(masked)).size).toBeLessThanOrEqual(20_001);
    expect(reading).toMatchObject({ ok: true, alert: { title: 'Disk full' } });
  });
});
