// A goal that is not reached is marked where it stands.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const text = readFileSync(new URL('./performance.md', import.meta.url), 'utf8');
const [, section = ''] = text.split('\n## Measured\n');
const rows = (section.split('\n## ')[0] ?? '')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, , goal]) => goal && goal !== 'goal' && !goal.startsWith('---'));

const UNITS = 'ms|s|MB|times|%';
const NUMBERS = new RegExp(`([\\d.,]+) (${UNITS})(?!\\w)`, 'g');

/** The numbers of a cell with a unit, in milliseconds where it is a time. */
function amounts(cell: string): { value: number; unit: string }[] {
  return [...cell.matchAll(NUMBERS)].map(([, digits = '', unit = '']) => {
    const value = Number(digits.replaceAll(',', ''));
    return unit === 's' ? { value: value * 1000, unit: 'ms' } : { value, unit };
  });
}

it.each(rows.map(([, name = '', goal = '', measured = '']) => [name, goal, measured] as const))(
  '%s: the goal "%s" is reached, or marked as missed: %s',
  (_name, goal, measured) => {
    const limit = goal.endsWith('free') ? undefined : amounts(goal).at(-1);
    const worst = amounts(measured).filter(
      ({ unit, value }) => unit === limit?.unit && value > (limit?.value ?? 0),
    );
    if (worst.length > 0) expect(measured).toContain('missed');
  },
);

it('the goals are found', () => {
  expect(rows.length).toBeGreaterThan(10);
});
