import { expect, it } from 'vitest';
import { endOfPeriod, startOfPeriod } from './utcPeriod.ts';

it.each([
  ['day', '2026-12-31T23:59:59Z', '2026-12-31', '2027-01-01'],
  ['day', '2028-02-28T00:00:00Z', '2028-02-28', '2028-02-29'],
  ['month', '2026-12-31T23:59:59Z', '2026-12-01', '2027-01-01'],
  ['month', '2026-11-01T00:00:00Z', '2026-11-01', '2026-12-01'],
] as const)('the %s of %s starts at %s and ends at %s', (period, at, start, end) => {
  expect(startOfPeriod(period, new Date(at)).toISOString()).toBe(`${start}T00:00:00.000Z`);
  expect(endOfPeriod(period, new Date(at)).toISOString()).toBe(`${end}T00:00:00.000Z`);
});
