import { describe, expect, it } from 'vitest';
import { codeRecord, groundingRecord } from './nativeToolRecord.ts';

describe('the record of native tools', () => {
  it('holds code and result without ids, each within its limit', () => {
    expect(
      codeRecord([{ id: 'c1', code: 'print(1)', language: 'PYTHON', result: '1' }, { outcome: 'X' }]),
    ).toEqual([{ code: 'print(1)', language: 'PYTHON', result: '1' }, { outcome: 'X' }]);
    const long = { code: 'é'.repeat(20_000), result: 'é'.repeat(20_000) };
    const stored = codeRecord(Array.from({ length: 100 }, () => long));
    expect(Buffer.byteLength(JSON.stringify(stored))).toBeLessThan(250_000);
  });

  it('holds the first sources, and supports that lead to them', () => {
    const sources = Array.from({ length: 60 }, (_, n) => ({ uri: `https://a.example/${n}`, title: '' }));
    const supports = Array.from({ length: 60 }, () => ({ text: 'x', groundingChunkIndices: [0, 55] }));
    const [stored] = groundingRecord([
      { kind: 'search', queries: ['q'], sources, supports, statuses: [], citations: [] },
    ]);
    expect(stored?.sources).toEqual(sources.slice(0, 50));
    expect(stored?.supports).toEqual(
      Array.from({ length: 50 }, () => ({ text: 'x', groundingChunkIndices: [0] })),
    );
    expect(stored).not.toHaveProperty('citations');
  });
});
