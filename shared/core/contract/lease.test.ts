import { expect, it } from 'vitest';
import { claimedFields, claimLease, isHeld, leaseIn, RELEASED } from './lease.ts';

const NOW = new Date('2026-11-29T09:00:00Z');
const after = (ms: number) => new Date(NOW.getTime() + ms);

it.each([
  ['while its time lasts', claimLease('a', 1_000, NOW), 999, true],
  ['not at its end', claimLease('a', 1_000, NOW), 1_000, false],
  ['longer after a renewal', claimLease('a', 1_000, after(500)), 1_000, true],
  ['not without a lease', null, 0, false],
  ['not after a release', leaseIn(RELEASED), 0, false],
  ['as its fields state', leaseIn(claimedFields(claimLease('a', 1_000, NOW))), 999, true],
  ['not without a holder', leaseIn({ holder: null, heldUntil: after(1_000) }), 0, false],
  ['not without an end', leaseIn({ holder: 'a', heldUntil: null }), 0, false],
])('something is held %s', (_, lease, ms, expected) => {
  expect(isHeld(lease, after(ms))).toBe(expected);
});
