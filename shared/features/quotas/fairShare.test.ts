import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeShare, fairShares, formatClaimantKey } from './fairShare.ts';

const claimant = (tenant: string, isCritical = false) => ({ tenant, isCritical });

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

describe('the share of a minute with ten units', () => {
  it.each<[string, Record<string, number>, Record<string, number>, ReturnType<typeof claimant>, number]>([
    ['is all of it for the only tenant', { n_a: 9 }, {}, claimant('a'), 10],
    ['is what critical alerts leave', { n_a: 8, c_b: 2 }, {}, claimant('a'), 8],
    ['is all of it for critical alerts', { n_a: 8, c_b: 2 }, {}, claimant('b', true), 10],
    ['is half of it for critical alerts of two tenants', { c_b: 9 }, {}, claimant('c', true), 5],
    ['is half of it beside a tenant with as much demand', { n_a: 9, n_b: 9 }, {}, claimant('a'), 5],
    ['is what a tenant with less demand leaves', { n_a: 9, n_b: 2 }, {}, claimant('a'), 8],
    ['leaves room for those who had units before', { n_a: 5 }, { n_b: 3, c_c: 2 }, claimant('a'), 5],
    ['does not leave room for its own units before', { n_a: 5 }, { n_a: 9 }, claimant('a'), 10],
    ['is nothing where critical alerts have more than it', { c_b: 11 }, {}, claimant('a'), 0],
  ])('%s', (_, by, expected, who, share) => {
    expect(computeShare(10, by, who, expected)).toBe(share);
  });

  it('is within the minute for all together, however many units they have', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(20)), fc.nat(20), (tenants, room) => {
        const by = Object.fromEntries(Object.entries(tenants).map(([name, units]) => [`n_${name}`, units]));
        const kept = Object.entries(tenants).map(([name, units]) =>
          Math.min(units, computeShare(room, by, claimant(name))),
        );
        expect(kept.reduce((sum, units) => sum + units, 0)).toBeLessThanOrEqual(room);
      }),
    );
  });

  it('separates ranks and tenants', () => {
    expect([formatClaimantKey(claimant('a')), formatClaimantKey(claimant('a', true))]).toEqual([
      'n_a',
      'c_a',
    ]);
  });
});
