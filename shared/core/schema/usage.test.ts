import { expect, it } from 'vitest';
import { usageType } from '../../lists/documents.ts';

const expireAt = new Date('2026-12-05T10:00:00Z');

it('a count of version 1 has nothing reserved', () => {
  const old = { schemaVersion: 1, count: 7, expireAt };
  expect(usageType.decode(old, 'usage/tokens.2026-11-05')).toEqual({ count: 7, reserved: {}, expireAt });
});

it('a count in which older code counted keeps its reservations', () => {
  const reserved = { w2982000: 900 };
  const mixed = { schemaVersion: 1, count: 7, reserved, expireAt };
  expect(usageType.decode(mixed, 'usage/tokens.2026-11-05')).toEqual({ count: 7, reserved, expireAt });
});
