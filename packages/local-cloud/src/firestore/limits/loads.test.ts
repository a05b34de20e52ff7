import { describe, expect, it } from 'vitest';
import { createLoads, type Demand, queueDemands, type Rate } from './loads.ts';

const HOUR_MS = 3_600_000;
/** A rate of one a second, and ten at once. */
const RATE: Rate = { perSecond: 1, burst: 10 };

function openLoads() {
  const loads = createLoads(() => undefined);
  const demand = (name: string, nowMs: number, rate = RATE): Demand => ({
    load: loads.get(`projects/p/databases/d/documents/${name}`, nowMs),
    rate,
    count: 1,
    reason: `${name} is hot`,
  });
  /** The waits of operations at one time; the message of one that is refused. */
  const take = (nowMs: number, ...names: string[]) => {
    try {
      return queueDemands(
        names.map((name) => demand(name, nowMs)),
        nowMs,
      );
    } catch (error) {
      return String(error);
    }
  };
  return { loads, take };
}

const times = <T>(count: number, work: () => T): T[] => Array.from({ length: count }, work);
const ABORTED = 'Error: Too much contention on these documents. Please try again: a is hot.';

describe('operations', () => {
  it('pass ten seconds of the rate at once, then wait for their demands up to 5 s, then are refused', () => {
    const { take } = openLoads();
    const start = times(10, () => 0);
    expect(times(17, () => take(HOUR_MS, 'a'))).toEqual([
      ...start,
      1000,
      2000,
      3000,
      4000,
      5000,
      ABORTED,
      ABORTED,
    ]);
    // A refused one took no turn.
    expect(times(2, () => take(HOUR_MS + 1000, 'a'))).toEqual([5000, ABORTED]);
    expect(take(2 * HOUR_MS, 'a')).toBe(0);
  });

  it('at the rate never wait', () => {
    const { take } = openLoads();
    const waits = Array.from({ length: 100 }, (_, second) => take(second * 1000, 'a'));
    expect(new Set(waits)).toEqual(new Set([0]));
  });

  it('of several loads wait for the slowest, and take no turn when one is refused', () => {
    const { loads, take } = openLoads();
    times(12, () => take(0, 'a'));
    expect(take(0, 'b', 'a')).toBe(3000);
    times(2, () => take(0, 'a'));
    expect(times(20, () => take(0, 'b', 'a'))).toEqual(times(20, () => ABORTED));
    const row = loads.report().hottest.find(({ name }) => name === 'b');
    expect(row).toMatchObject({ operations: 1, lateSeconds: 0, aborted: 0 });
  });
});

describe('the report', () => {
  it('has what was exceeded, and the ten greatest rates of ten seconds', () => {
    const { loads, take } = openLoads();
    times(16, () => take(0, 'a'));
    times(4, () => take(9_999, 'a'));
    times(5, () => take(10_000, 'a'));
    for (let index = 0; index < 20; index++) times(index % 10, () => take(0, `n${index}`));
    const { exceeded, hottest } = loads.report();
    const place = { database: 'projects/p/databases/d', name: 'a' };
    // 15 in time or late, and one refused, in the first ten seconds with the four after them.
    expect(exceeded).toEqual([{ ...place, greatestRate: 2, operations: 25, lateSeconds: 25, aborted: 1 }]);
    expect(hottest.map(({ name }) => name).slice(0, 3)).toEqual(['a', 'n9', 'n19']);
    expect(hottest).toHaveLength(10);
  });

  it('keeps hot and exceeded loads when others are forgotten', () => {
    const { loads, take } = openLoads();
    times(12, () => take(0, 'a'));
    for (let index = 0; index < 12_000; index++) take(index * 20, `n${index}`);
    expect(loads.report().exceeded).toMatchObject([{ name: 'a', operations: 12 }]);
    expect(loads.get('projects/p/databases/d/documents/n5000', 600_000).operations).toBe(0);
  });
});
