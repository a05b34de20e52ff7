import { expect, it } from 'vitest';
import { clockLine } from './clock.ts';

it.each([
  ['2026-11-22T23:51:53.207Z', 'You begin on Sunday, 2026-11-22 23:51:53 UTC.'],
  ['2028-02-29T00:00:00.000Z', 'You begin on Tuesday, 2028-02-29 00:00:00 UTC.'],
  ['2027-01-02T00:30:00+01:00', 'You begin on Friday, 2027-01-01 23:30:00 UTC.'],
])('the time %s is given with its weekday, in UTC', (time, text) => {
  expect(clockLine(new Date(time))).toBe(text);
});
