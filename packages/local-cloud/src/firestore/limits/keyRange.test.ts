import { expect, it } from 'vitest';
import { createKeyRange, heatRange } from './keyRange.ts';

const MINUTE_MS = 60_000;

/** What a range takes after each five minutes with operations of these rates per second. */
function ramp(...rates: number[]): number[] {
  const range = createKeyRange(0);
  return rates.map((rate, index) => {
    heatRange(range, index * 5 * MINUTE_MS, rate * 300);
    return heatRange(range, (index + 1) * 5 * MINUTE_MS, 0).perSecond;
  });
}

it('a range takes 500 a second at first, and a second of them at once', () => {
  expect(heatRange(createKeyRange(0), 1000, 1)).toEqual({ perSecond: 500, burst: 500 });
  expect(heatRange(createKeyRange(0), 5 * MINUTE_MS - 1, 1_000_000).perSecond).toBe(500);
});

it('a range takes half as much again after five minutes of use', () => {
  expect(ramp(250, 400, 1000)).toEqual([750, 1125, 1687.5]);
  expect(ramp(249)).toEqual([500]);
});

it('a range that is not used cools, to 500', () => {
  expect(ramp(500, 700, 0, 0, 0)).toEqual([750, 1125, 750, 500, 500]);
  const range = createKeyRange(0);
  heatRange(range, 0, 1_000_000);
  expect(heatRange(range, 24 * 60 * MINUTE_MS, 0).perSecond).toBe(500);
});
