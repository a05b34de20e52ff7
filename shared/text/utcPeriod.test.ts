import fc from 'fast-check';
import { expect, it } from 'vitest';
import { endOfPeriod, startOfPeriod, utcDay, utcHour, utcMonth } from './utcPeriod.ts';

it.each([
  ['day', '2026-12-31T23:59:59Z', '2026-12-31', '2027-01-01'],
  ['day', '2028-02-28T00:00:00Z', '2028-02-28', '2028-02-29'],
  ['month', '2026-12-31T23:59:59Z', '2026-12-01', '2027-01-01'],
  ['month', '2026-11-01T00:00:00Z', '2026-11-01', '2026-12-01'],
] as const)('the %s of %s starts at %s and ends at %s', (period, at, start, end) => {
  expect(startOfPeriod(period, new Date(at)).toISOString()).toBe(`${start}T00:00:00.000Z`);
  expect(endOfPeriod(period, new Date(at)).toISOString()).toBe(`${end}T00:00:00.000Z`);
});

it('each time is in one hour, day and month, which follow each other without a gap', () => {
  const times = fc.date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });
  const property = fc.property(times, fc.constantFrom('day', 'month'), (at, period) => {
    const [start, end] = [startOfPeriod(period, at), endOfPeriod(period, at)];
    const formatPeriod = period === 'day' ? utcDay : utcMonth;
    expect(start <= at && at < end).toBe(true);
    expect([formatPeriod(start), formatPeriod(new Date(end.getTime() - 1))]).toEqual([
      formatPeriod(at),
      formatPeriod(at),
    ]);
    expect(startOfPeriod(period, end)).toEqual(end);
    expect(formatPeriod(end) > formatPeriod(at)).toBe(true);
    expect(utcHour(at).startsWith(utcDay(at)) && utcDay(at).startsWith(utcMonth(at))).toBe(true);
  });
  fc.assert(property, { numRuns: 100 });
});
