// Instances share a limit of tokens or sessions, in virtual time.

import { describe, expect, it } from 'vitest';
import { IS_FULL, takeCases } from '../../../support/fullTests.ts';
import { type AllowanceReport, type AllowanceRun, simulateAllowances } from './simulateAllowances.ts';

const MINUTE = 60_000;
const TOKENS = { name: 'tokens', window: 'day' as const };
/** Each instance has investigations with a call every ten seconds. */
const RUN: AllowanceRun = {
  seed: 1,
  instances: IS_FULL ? 200 : 100,
  lanes: 4,
  allowance: TOKENS,
  limitAt: () => 500_000_000,
  need: 80_000,
  uses: 0.2,
  kept: 0.1,
  callMs: 10_000,
  rampMs: 5 * MINUTE,
  start: '2026-11-05T10:00:00Z',
  lastsMs: 30 * MINUTE,
};

async function simulate(change: Partial<AllowanceRun>): Promise<AllowanceReport> {
  const report = await simulateAllowances({ ...RUN, ...change });
  if (process.env.PRINT_MEASURED) console.log(JSON.stringify(report));
  // The sum of what is granted is within the limit, always.
  expect(report.passed).toEqual([]);
  // Documents never count more than was used.
  for (const [path, counted] of Object.entries(report.counted))
    expect(counted).toBeLessThanOrEqual(report.used[path] ?? 0);
  return report;
}
const sum = (numbers: Record<string, number>) => Object.values(numbers).reduce((all, one) => all + one, 0);

describe('a limit that is not reached', () => {
  it.each(
    takeCases(
      [
        { name: '1,000 investigations', instances: 50, lanes: 20 },
        { name: 'the instances of 10,000 investigations', instances: 500, lanes: 3, lastsMs: 45 * MINUTE },
      ],
      1,
    ),
  )('is one document with less than a write a second: $name', async ({ instances, lanes, ...change }) => {
    const limitAt = () => instances * 2_000_000_000;
    const report = await simulate({ instances, lanes, limitAt, ...change });
    expect(report.hottest).toBeLessThanOrEqual(10);
    // All others are granted from the slice of their instance.
    expect(report.slow / report.granted).toBeLessThan(0.01);
    expect(report.writes / report.granted).toBeLessThan(0.02);
  });

  it('is taken from before its window starts, so that all instances need not at once', async () => {
    const limitAt = () => 200_000_000_000;
    const report = await simulate({ limitAt, start: '2026-11-30T23:40:00Z' });
    expect(Object.keys(report.used)).toEqual([
      'allowances/tokens.2026-11-30.0',
      'allowances/tokens.2026-12-01.0',
    ]);
    expect(report.hottest).toBeLessThanOrEqual(10);
    expect(report.counted['allowances/tokens.2026-11-30.0']).toBe(
      report.used['allowances/tokens.2026-11-30.0'],
    );
  });
});

/** Used up within a quarter of an hour. */
const USED_UP = { uses: 0.9, limitAt: () => 2_000_000_000, lastsMs: 60 * MINUTE };

describe('a limit that is used up', () => {
  it('is granted to the last twentieth, and its document has some writes a second', async () => {
    const report = await simulate({ ...USED_UP, instances: 50, lanes: 20 });
    // What only conclusions can use is a tenth, and they are few.
    expect(sum(report.used)).toBeGreaterThan(USED_UP.limitAt() * 0.9 * 0.95);
    expect(report.hottest).toBeLessThanOrEqual(30);
  });

  it('is not passed when instances die or freeze, and their parts come back', async () => {
    const faults = { dying: 0.3, freezing: 0.3, skewMs: 30_000 };
    const report = await simulate({
      ...USED_UP,
      ...faults,
      kept: 0,
      stopsWithinMs: 12 * MINUTE,
      lastsMs: 90 * MINUTE,
    });
    expect(report.lost).toBeGreaterThan(0);
    expect(sum(report.used)).toBeGreaterThan(USED_UP.limitAt() * 0.9 * 0.95);
  });

  it('is not passed at the end of a month, with clocks that differ', async () => {
    const allowance = { name: 'budget~shop', window: 'month' as const };
    const report = await simulate({ ...USED_UP, allowance, start: '2026-11-30T23:45:00Z', skewMs: 30_000 });
    expect(Object.keys(report.used)).toHaveLength(2);
  });

  it('can be raised, removed and lowered while calls run', async () => {
    const limits = [1_000_000_000, 2_000_000_000, null, 500_000_000];
    const limitAt = (ms: number) => limits[Math.floor(ms / (15 * MINUTE))] ?? null;
    const report = await simulate({ ...USED_UP, limitAt, skewMs: 30_000 });
    expect(sum(report.used)).toBeGreaterThan(2_000_000_000 * 0.9 * 0.95);
    expect(sum(report.used)).toBeLessThanOrEqual(2_000_000_000);
  });

  it('is exact for the sessions of an hour, also when instances die', async () => {
    const allowance = { name: 'sessions', window: 'hour' as const };
    // A ticket is used in any case.
    const report = await simulate({
      allowance,
      need: 1,
      uses: 2,
      kept: 0.2,
      limitAt: () => 5_000,
      dying: 0.2,
    });
    expect(sum(report.used)).toBeLessThanOrEqual(5_000);
    expect(sum(report.used)).toBeGreaterThan(5_000 * 0.8 * 0.95);
  });
});
