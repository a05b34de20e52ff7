import { expect, it } from 'vitest';
import { outagePauseMs } from './outagePause.ts';

const seconds = (before: number, random: number, asked?: number) =>
  outagePauseMs(before, () => random, asked && asked * 1_000) / 1_000;

it('doubles from 10 s to 5 min, with jitter', () => {
  const pauses = [0, 1, 2, 3, 4, 5, 1_000];
  expect(pauses.map((before) => seconds(before, 0))).toEqual([10, 20, 40, 80, 150, 150, 150]);
  expect(pauses.map((before) => seconds(before, 1))).toEqual([20, 40, 80, 160, 300, 300, 300]);
});

it('is at least the wait that the provider asks for, and a tenth longer at most', () => {
  expect([0, 1].map((random) => seconds(0, random, 48))).toEqual([48, 52.8]);
  expect([0, 1].map((random) => seconds(0, random, 2))).toEqual([10, 20]);
  expect(seconds(3, 0, 1_200)).toBe(1_200);
});
