import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  capsFor,
  fairShares,
  formatClaimantKey,
  placesFor,
  roomFor,
  type Standing,
  UNUSED,
} from './fairShare.ts';

const claimant = (tenant: string, isCritical = false) => ({ tenant, isCritical });
const ask = (
  standing: Partial<Standing>,
  who: ReturnType<typeof claimant>,
  hasWaited = false,
  second = 1,
) => {
  const wish = { claimant: who, wanted: 1, hasWaited };
  const all = { ...UNUSED, ...standing };
  return roomFor(all, wish, capsFor(all, wish, 10, second));
};

describe('fair shares', () => {
  it('give each demand that fits, and divide the rest equally', () => {
    expect(fairShares(10, { a: 2, b: 100, c: 3 })).toEqual({ a: 2, b: 5, c: 3 });
    expect(fairShares(10, { a: 100, b: 100 })).toEqual({ a: 5, b: 5 });
    expect(fairShares(0, { a: 1 })).toEqual({ a: 0 });
  });

  it('never exceed the room or a demand, and leave nothing that is demanded', () => {
    fc.assert(
      fc.property(
        fc.nat(50),
        fc.dictionary(
          fc.string().map((name) => `n_${name}`),
          fc.nat(40),
        ),
        (room, demands) => {
          const shares = Object.values(fairShares(room, demands));
          const sum = shares.reduce((total, share) => total + share, 0);
          const all = Object.values(demands).reduce((total, demand) => total + demand, 0);
          expect(sum).toBe(Math.min(room, all));
        },
      ),
    );
  });
});

describe('the room of a minute with ten requests', () => {
  it.each<[string, Partial<Standing>, ReturnType<typeof claimant>, boolean, number, number]>([
    ['is all of it for the only tenant', { granted: { n_a: 9 } }, claimant('a'), false, 1, 1],
    ['ends at the limit', { granted: { n_a: 10 } }, claimant('a', true), false, 1, 0],
    [
      'is kept for critical alerts that wait',
      { granted: { n_a: 8 }, waiting: { c_b: 2 } },
      claimant('a'),
      false,
      1,
      0,
    ],
    [
      'is free for critical alerts',
      { granted: { n_a: 8 }, waiting: { c_b: 2 } },
      claimant('c', true),
      true,
      1,
      1,
    ],
    [
      'is no longer kept at the end of the minute',
      { granted: { n_a: 8 }, waiting: { c_b: 2 } },
      claimant('a'),
      false,
      50,
      1,
    ],
    [
      'is kept for those of the same tenant that wait',
      { granted: { n_a: 9 }, waiting: { n_a: 1 } },
      claimant('a'),
      false,
      1,
      0,
    ],
    [
      'is there for one that has waited',
      { granted: { n_a: 9 }, waiting: { n_a: 1 } },
      claimant('a'),
      true,
      1,
      1,
    ],
    [
      'is shared with a tenant that waits',
      { granted: { n_a: 5 }, waiting: { n_a: 9, n_b: 9 } },
      claimant('a'),
      true,
      1,
      0,
    ],
    [
      'does not go to a tenant that needs less',
      { granted: { n_a: 7 }, waiting: { n_a: 9, n_b: 2 } },
      claimant('a'),
      true,
      1,
      1,
    ],
  ])('%s', (_, standing, who, hasWaited, second, room) => {
    expect(ask(standing, who, hasWaited, second)).toBe(room);
  });

  it('has places for later minutes as long as the share of the tenant is not taken', () => {
    const later: Standing = { ...UNUSED, waiting: { n_a: 5, c_c: 2 } };
    expect(placesFor(later, UNUSED, claimant('a'), 10)).toBe(3);
    expect(placesFor(later, { ...UNUSED, granted: { n_b: 4 } }, claimant('a'), 10)).toBe(-1);
    expect(placesFor(later, UNUSED, claimant('b'), 10)).toBe(4);
  });

  it('separates ranks and tenants in the keys of the document', () => {
    expect([formatClaimantKey(claimant('a')), formatClaimantKey(claimant('a', true))]).toEqual([
      'n_a',
      'c_a',
    ]);
  });
});
