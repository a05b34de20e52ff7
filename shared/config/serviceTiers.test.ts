import { describe, expect, it } from 'vitest';
import { nearestTiers, tierField } from './serviceTiers.ts';

describe('the setting of service tiers', () => {
  it('is that of the nearest setting: a tier replaces all severities, a mapping those that it names', () => {
    expect(nearestTiers([undefined, { info: 'flex' }, 'priority'])).toEqual({
      tiers: { any: 'priority', info: 'flex' },
    });
    expect(nearestTiers(['standard', { info: 'flex' }, 'priority'])).toEqual({ tiers: { any: 'standard' } });
    expect(nearestTiers([undefined, undefined])).toEqual({});
  });

  it('is checked', () => {
    expect(tierField.safeParse('cheap').error?.issues[0]?.message).toMatch(
      /^must be standard, flex, priority, or/,
    );
    expect(tierField.safeParse({ urgent: 'flex' }).success).toBe(false);
    expect(tierField.safeParse({ critical: 'priority' }).success).toBe(true);
  });
});
