import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Review } from '../../search/review.ts';
import { WORK_KINDS, type WorkEntry, type WorkKind } from './work.ts';
import { workState } from './workState.ts';

const at = (number: number) => new Date(Date.UTC(2026, 10, 24, 12, number));
const entry = (number: number, kind: WorkKind, by: string, rating?: Review['rating']): WorkEntry => ({
  sessionId: 's',
  number,
  kind,
  text: null,
  by,
  createdAt: at(number),
  expireAt: at(59),
  review: rating === undefined ? null : { rating, cause: null, action: null, missed: null },
});

describe('the work on a session', () => {
  it('is claimed by the last person, until that person releases it or it is resolved', () => {
    expect(workState([]).claimedBy).toBeNull();
    const claimed = [entry(1, 'claim', 'ada'), entry(2, 'claim', 'ben')];
    expect(workState(claimed).claimedBy).toBe('ben');
    expect(workState([...claimed, entry(3, 'release', 'ada')]).claimedBy).toBe('ben');
    expect(workState([...claimed, entry(3, 'release', 'ben')]).claimedBy).toBeNull();
    const resolved = [...claimed, entry(3, 'resolve', 'ada')];
    expect(workState(resolved)).toMatchObject({ claimedBy: null, resolved: { by: 'ada', at: at(3) } });
    expect(workState([...resolved, entry(4, 'claim', 'ben')])).toMatchObject({
      claimedBy: 'ben',
      resolved: null,
    });
  });
  it('has the newest review of each person, and shows that they differ', () => {
    const entries = [
      entry(1, 'review', 'ada', 'wrong'),
      entry(2, 'review', 'ben', 'right'),
      entry(3, 'review', 'ada', 'right'),
    ];
    const { reviews, isDisputed } = workState(entries);
    expect(reviews.map(({ by, review }) => [by, review.rating])).toEqual([
      ['ada', 'right'],
      ['ben', 'right'],
    ]);
    expect(isDisputed).toBe(false);
    expect(workState(entries.slice(0, 2)).isDisputed).toBe(true);
  });
  it('is the same for entries in any order', () => {
    const kinds = fc.array(
      fc.tuple(fc.constantFrom(...WORK_KINDS), fc.constantFrom('a', 'b'), fc.constantFrom('right', 'wrong')),
    );
    fc.assert(
      fc.property(kinds, fc.infiniteStream(fc.nat()), (made, keys) => {
        const entries = made.map(([kind, by, rating], index) =>
          entry(index + 1, kind, by, kind === 'review' ? (rating as Review['rating']) : undefined),
        );
        const ranked = new Map(entries.map((one) => [one, keys.next().value ?? 0]));
        const shuffled = entries.toSorted((a, b) => (ranked.get(a) ?? 0) - (ranked.get(b) ?? 0));
        expect(workState(shuffled)).toEqual(workState(entries));
      }),
    );
  });
});
