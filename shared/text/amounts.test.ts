import { expect, it } from 'vitest';
import { dollarsText, durationText, secondsText, usdText } from './amounts.ts';
import { clockText, isoSecond, minuteText, secondText } from './times.ts';

it('writes times in UTC', () => {
  const at = new Date('2026-11-22T09:12:30.999Z');
  expect([clockText(at), minuteText(at), secondText(at), isoSecond(at)]).toEqual([
    '09:12 UTC',
    '2026-11-22 09:12 UTC',
    '2026-11-22 09:12:30 UTC',
    '2026-11-22T09:12:30Z',
  ]);
});

it.each([
  [-1, '0 s'],
  [44_600, '45 s'],
  [125_000, '2:05 min'],
  [3_725_000, '1:02 h'],
])('writes a duration of %i ms as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

it('writes limits and costs', () => {
  expect([secondsText(30_000), secondsText(500)]).toEqual(['30 s', '0.5 s']);
  expect([0, 0.00001, 0.01234].map((usd) => dollarsText(usd, '<'))).toEqual([
    '$0.0000',
    '<$0.0001',
    '$0.0123',
  ]);
  expect([dollarsText(0.00001), usdText(1.5)]).toEqual(['$0.0000', '1.5000 USD']);
});
