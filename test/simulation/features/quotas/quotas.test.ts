// 200 instances share a quota of 60 requests a minute, in virtual time.

import { describe, expect, it } from 'vitest';
import { IS_FULL, IS_LONG, takeCases } from '../../../support/fullTests.ts';
import { runSeed } from '../../runSeed.ts';
import { simulateQuotas } from './simulateQuotas.ts';

const ARRIVALS = [
  { tenant: 'loud', isCritical: false, perMinute: 100 },
  { tenant: 'quiet', isCritical: false, perMinute: 5 },
  { tenant: 'shop', isCritical: true, perMinute: 20 },
  { tenant: 'loud', isCritical: true, perMinute: 10 },
];
const RUN = { instances: 200, rpm: 60, minutes: 15, arrivals: ARRIVALS };
/** Of a document in ten seconds. */
const MAX_WRITES = 11;
const SEEDS = IS_FULL ? [1, 2, 3] : [1];

describe.each(SEEDS)('200 instances with twice the requests of a quota, seed %i', (seed) => {
  it('stay within the quota, use it, and let critical alerts and each tenant through', async () => {
    const report = await simulateQuotas({ ...RUN, seed });
    if (process.env.PRINT_MEASURED) console.log(JSON.stringify(report));
    expect(Math.max(...report.granted)).toBeLessThanOrEqual(60);
    expect(report.saturated.length).toBeGreaterThanOrEqual(12);
    for (const minute of report.saturated) expect(report.granted[minute]).toBeGreaterThanOrEqual(54);
    expect(Math.max(report.longestMs['c shop'] ?? 0, report.longestMs['c loud'] ?? 0)).toBeLessThan(120_000);
    // The quiet tenant gets nearly all of its demand, although another one asks for twenty times as much.
    expect(report.byKind['n quiet']).toBeGreaterThanOrEqual(5 * 15 * 0.6);
    expect(report.deliveries).toBeLessThan(4);
    expect(report.hottest).toBeLessThanOrEqual(MAX_WRITES);
  });
});

/** Investigations that ask every ten seconds, at instances with twenty of them. */
const listArrivals = (investigations: number) => [
  { tenant: 'loud', isCritical: false, perMinute: investigations * 4 },
  { tenant: 'quiet', isCritical: false, perMinute: investigations },
  { tenant: 'shop', isCritical: true, perMinute: investigations },
];

describe('a quota of many investigations', () => {
  it.each(
    takeCases(
      [
        { investigations: 200, minutes: 5 },
        { investigations: 1_000, minutes: 2 },
        { investigations: 10_000, minutes: 1 },
      ],
      IS_LONG ? 3 : IS_FULL ? 2 : 1,
    ),
  )('that is not used up heats no document: $investigations', async ({ investigations, minutes }) => {
    const arrivals = listArrivals(investigations);
    const instances = Math.max(50, investigations / 20);
    const report = await simulateQuotas({
      ...RUN,
      instances,
      rpm: investigations * 8,
      minutes,
      arrivals,
      seed: 1,
    });
    if (process.env.PRINT_MEASURED) console.log(JSON.stringify(report));
    expect(report.hottest).toBeLessThanOrEqual(MAX_WRITES);
  });

  it('that is used up heats no document, and lets critical alerts through', async () => {
    const report = await simulateQuotas({
      ...RUN,
      rpm: 600,
      minutes: 5,
      arrivals: listArrivals(200),
      seed: 1,
    });
    if (process.env.PRINT_MEASURED) console.log(JSON.stringify(report));
    expect(report.hottest).toBeLessThanOrEqual(MAX_WRITES);
    expect(Math.max(...report.granted)).toBeLessThanOrEqual(600);
    for (const minute of report.saturated) expect(report.granted[minute]).toBeGreaterThanOrEqual(540);
    expect(report.longestMs['c shop']).toBeLessThan(120_000);
  });
});

describe('a quota that is not used up', () => {
  it('delays no other agent', async () => {
    const arrivals = [{ tenant: 'shop', isCritical: false, perMinute: 30 }];
    const report = await simulateQuotas({ ...RUN, minutes: 5, arrivals, seed: 1 });
    expect(report.longestMs['n shop']).toBeLessThan(1_000);
    expect(report.operations).toBeLessThan(2.1);
  });
});

describe('an execution that waits for a quota after an outage of its model', () => {
  it.each(takeCases([2182, 1552, 922], 1))('gets its turn before others: seed %i', async (seed) => {
    const { violations, outcome } = await runSeed(seed);
    expect([violations, outcome]).toEqual([[], 'completed']);
  });
});
