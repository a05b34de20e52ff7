import { expect, it } from 'vitest';
import { backOffMs, outagePauseMs } from './backOff.ts';

it.each([
  [
    'doubles from the first to the longest',
    1_000,
    30_000,
    [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000],
  ],
  ['is the longest where the first is longer', 500, 400, [400, 400]],
  ['stays nothing', 0, 0, [0, 0]],
])('the delay %s', (_, firstMs, mostMs, expected) => {
  expect(expected.map((_, failures) => backOffMs({ firstMs, mostMs }, failures + 1))).toEqual(expected);
});

it('the delay after any number of failures is a number', () => {
  expect(backOffMs({ firstMs: 0, mostMs: 600_000 }, 5_000)).toBe(0);
  expect(backOffMs({ firstMs: 1_000, mostMs: 600_000 }, 5_000)).toBe(600_000);
});

const seconds = (before: number, random: number, asked?: number) =>
  outagePauseMs(before, () => random, asked && asked * 1_000) / 1_000;

it('the pause of a model doubles from 10 s to 5 min, with jitter', () => {
  const pauses = [0, 1, 2, 3, 4, 5, 1_000];
  expect(pauses.map((before) => seconds(before, 0))).toEqual([10, 20, 40, 80, 150, 150, 150]);
  expect(pauses.map((before) => seconds(before, 1))).toEqual([20, 40, 80, 160, 300, 300, 300]);
});

it('the pause of a model is at least the wait that the provider asks for, and a tenth longer at most', () => {
  expect([0, 1].map((random) => seconds(0, random, 48))).toEqual([48, 52.8]);
  expect([0, 1].map((random) => seconds(0, random, 2))).toEqual([10, 20]);
  expect(seconds(3, 0, 1_200)).toBe(1_200);
});
