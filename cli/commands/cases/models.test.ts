import { InvalidArgumentError } from 'commander';
import { expect, it } from 'vitest';
import { amount, positive } from './models.ts';

it.each(['ten', '', ' 5', '1e3', '0x10', 'Infinity', '-1', '0', '1.5.2', '1,5'])(
  '%j is no number',
  (text) => {
    expect(() => positive(text)).toThrow(InvalidArgumentError);
    expect(() => amount(text)).toThrow(InvalidArgumentError);
  },
);

it('reads a number of runs, and an amount of money', () => {
  expect(() => positive('1.5')).toThrow(InvalidArgumentError);
  expect([positive('3'), amount('0.25'), amount('12')]).toEqual([3, 0.25, 12]);
});
