import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usedTickets, useTokens } from '../../../test/support/allowances.ts';
import { randomRuns } from '../../../test/support/fullTests.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import { putDocument } from '../../core/contract/store.ts';
import { runAtEnd } from '../../core/kernel/atEnd.ts';
import type { UsageLimit } from '../../core/schema/agent.ts';
import { allowanceType, paths, usageType } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { utcDay, utcHour, utcMonth } from '../../text/utcPeriod.ts';
import { allowanceExpiry, allowancePath } from '../allowances/allowance.ts';
import { readUsed, takeAllowance } from '../allowances/takeAllowance.ts';
import {
  dayUsedUp,
  keptTokens,
  sessionAllowance,
  sessionsUsedUp,
  takeTickets,
  tokenAllowance,
} from './usageLimits.ts';

const MINUTE = 60_000;
const limit = (most: number, chain: string | null = null): UsageLimit => ({ chain, limit: most });

function world() {
  const clock = createTestClock();
  return { clock, store: createMemoryStore(clock.now) };
}

describe('tickets for sessions', () => {
  it('are taken of all limits or of none, and count in their hour', async () => {
    const deps = world();
    const at = deps.clock.now();
    const [all, triage] = [limit(3), limit(1, 'triage')];
    const take = (limits: UsageLimit[], when = at) => takeTickets(limits, when, deps);
    expect(await take([all, triage])).toBeUndefined();
    expect(await sessionsUsedUp([all, triage], at, deps)).toEqual(triage);
    expect(await take([all, triage])).toEqual(triage);
    // The refused one has returned its ticket of the other limit.
    expect(await take([all])).toBeUndefined();
    expect(await sessionsUsedUp([all], at, deps)).toBeUndefined();
    expect(await take([all])).toBeUndefined();
    expect(await sessionsUsedUp([all], at, deps)).toEqual(all);
    expect(await take([all])).toEqual(all);
    expect(await take([all, triage], new Date(at.getTime() + 60 * MINUTE))).toBeUndefined();
    expect(await sessionsUsedUp([limit(1, 'other')], at, deps)).toBeUndefined();
  });

  it('are never more than each limit, and none is lost or counted twice', async () => {
    const limits = [limit(2, 'shop'), limit(3)];
    const group = fc.record({ of: fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }), minutes: fc.nat(25) });
    await fc.assert(
      fc.asyncProperty(fc.array(group, { maxLength: 12 }), async (groups) => {
        const { store, clock } = world();
        const taken = new Map<string, number>();
        const nameIn = ({ chain }: UsageLimit) => `${chain} ${utcHour(clock.now())}`;
        const takenIn = (one: UsageLimit) => taken.get(nameIn(one)) ?? 0;
        for (const { of, minutes } of groups) {
          clock.advance(minutes * MINUTE);
          const now = clock.now();
          // Some are of another chain, which has no limit of its own.
          const wanted = of.map((one) => (one === 3 ? limits.slice(1) : limits));
          const full = limits.find((one) => takenIn(one) >= one.limit);
          expect(await sessionsUsedUp(limits, now, { store, clock })).toEqual(full);
          const before = wanted[0]?.find((one) => takenIn(one) >= one.limit);
          // Each of another process.
          const refusals = await Promise.all(
            wanted.map((own) => takeTickets(own, now, { store: { ...store }, clock })),
          );
          // One alone is refused by the first limit without a ticket, and by no other.
          if (of.length === 1) expect(refusals[0]).toEqual(before);
          for (const [index, own] of wanted.entries())
            if (refusals[index] === undefined)
              for (const one of own) taken.set(nameIn(one), takenIn(one) + 1);
          for (const one of limits) {
            expect(takenIn(one)).toBeLessThanOrEqual(one.limit);
            expect(await usedTickets({ store, clock }, one.chain)).toBe(takenIn(one));
          }
        }
      }),
      { numRuns: randomRuns(200) },
    );
  });

  it('of three an hour are given to three of 1,000 alerts at 200 instances, with one write each', async () => {
    const { store, clock } = world();
    let commits = 0;
    let others = 0;
    const instances = Array.from({ length: 200 }, () => ({
      clock,
      store: {
        ...store,
        commit: (async (writes) => {
          const result = await store.commit(writes);
          if (result.ok) commits += 1;
          return result;
        }) as typeof store.commit,
        incrementAll: (async (...call) => {
          others += 1;
          return store.incrementAll(...call);
        }) as typeof store.incrementAll,
      },
    }));
    const alerts = Array.from({ length: 1_000 }, (_, index) => instances[index % 200] ?? { clock, store });
    const refusals = await Promise.all(alerts.map((deps) => takeTickets([limit(3)], clock.now(), deps)));
    expect(refusals.filter((refusal) => refusal === undefined)).toHaveLength(3);
    expect([commits, others]).toEqual([3, 0]);
  });
});

describe('tokens that are kept for conclusions', () => {
  const monthly = (most: number): UsageLimit => ({
    ...limit(most),
    budget: { name: 'team', period: 'month' },
  });
  it.each([
    [limit(1_000), 10, 100],
    [limit(1_000), 200, 200],
    [limit(1_000), 900, 500],
    [monthly(1_000), 5, 10],
    [{ ...limit(1_000), budget: { name: 'team', period: 'day' as const } }, 5, 100],
  ])('%j with a conclusion of %i are %i', (one, conclusion, kept) => {
    expect(keptTokens(one, conclusion)).toBe(kept);
  });
});

describe('the tokens of a day or month', () => {
  const at = new Date('2026-11-05T10:04:00Z');
  const days = (count: number) => new Date(at.getTime() + count * 24 * 60 * MINUTE);
  it.each<[string, UsageLimit, string, Date]>([
    ['all', limit(1), 'allowances/tokens.2026-11-05.0', days(30)],
    ['a chain', limit(1, 'triage'), 'allowances/tokens~triage.2026-11-05.0', days(30)],
    [
      'a budget of a day',
      { ...limit(1), budget: { name: 'team', period: 'day' } },
      'allowances/budget~team.2026-11-05.0',
      days(30),
    ],
    [
      'a budget of a month and a tenant',
      { ...limit(1), budget: { name: 'team', period: 'month', of: 'a/b' } },
      'allowances/budget~team~YS9i.2026-11.0',
      days(60),
    ],
  ])('of %s have a document for its period, which is kept longer', (_, one, path, expireAt) => {
    const allowance = tokenAllowance(one);
    expect([allowancePath(allowance, at), allowanceExpiry(allowance, at)]).toEqual([path, expireAt]);
  });

  it('have room for a call and the conclusion after it', async () => {
    const deps = world();
    const now = deps.clock.now();
    const [chain, all] = [limit(1_000, 'triage'), limit(1_000)];
    await useTokens(deps, 700);
    // 700 are used, and as many as the call, at least 100, are kept.
    expect(await dayUsedUp([chain, all], 150, now, deps)).toBeUndefined();
    expect(await dayUsedUp([chain, all], 151, now, deps)).toEqual(all);
    expect(await dayUsedUp([chain, all], 501, now, deps)).toEqual(chain);
    expect(await dayUsedUp([all], 151, new Date(now.getTime() + 24 * 60 * MINUTE), deps)).toBeUndefined();
  });
});

describe('what older code has counted', () => {
  const startOld = async () => {
    const deps = world();
    const now = deps.clock.now();
    const value = { count: 700, reserved: { returned: -100 }, expireAt: now };
    const budget = { name: 'team', period: 'month' as const, of: 'a/b' };
    const old: [Parameters<typeof readUsed>[0], string][] = [
      [tokenAllowance(limit(1)), paths.usage('tokens', null, utcDay(now))],
      [tokenAllowance({ chain: null, budget }), paths.usage('budget', 'team~YS9i', utcMonth(now))],
      [sessionAllowance({ chain: 'shop' }), paths.usage('sessions', 'shop', utcHour(now))],
    ];
    await deps.store.commit(old.map(([, path]) => putDocument(path, usageType, value)));
    return { ...deps, now, allowances: old.map(([allowance]) => allowance) };
  };

  it('counts for those who read the use', async () => {
    const { allowances, now, ...deps } = await startOld();
    for (const allowance of allowances) expect(await readUsed(allowance, now, deps)).toBe(600);
  });

  it.each([19, 1_000])('is where the first of several processes continues: limit %i', async (cap) => {
    const { allowances, now, store, clock } = await startOld();
    for (const allowance of allowances) {
      const most = 600 + cap;
      const taken = await Promise.all(
        [1, 2].map(() =>
          takeAllowance(allowance, { need: cap, cap: most, at: now }, { store: { ...store }, clock }),
        ),
      );
      expect(taken.filter(({ kind }) => kind === 'granted')).toHaveLength(1);
      expect((await store.get(allowancePath(allowance, now), allowanceType))?.value.used).toBe(600);
    }
  });

  it('is part of a limit of few units', async () => {
    const { store, clock, now } = await startOld();
    const value = { count: 3, reserved: { returned: -1 }, expireAt: now };
    await store.commit([putDocument(paths.usage('sessions', null, utcHour(now)), usageType, value)]);
    const refusals = [];
    for (let taken = 0; taken < 3; taken++)
      refusals.push(await takeTickets([limit(4)], now, { store: { ...store }, clock }));
    expect(refusals).toEqual([undefined, undefined, limit(4)]);
  });
});

it('a process that ends writes its use, and returns its slice', async () => {
  const deps = world();
  const allowance = tokenAllowance({ chain: null });
  const at = deps.clock.now();
  for (const used of [100, 300]) {
    const grant = await takeAllowance(allowance, { need: 500, cap: 1_000_000, at }, deps);
    if (grant.kind !== 'granted') throw new Error('refused');
    await grant.settle(used);
  }
  const read = async () => (await deps.store.get(allowancePath(allowance, at), allowanceType))?.value;
  const sumHeld = (held: Record<string, number> = {}) => Object.values(held).reduce((a, b) => a + b, 0);
  expect((await read())?.used).toBeLessThan(400);
  expect(sumHeld((await read())?.held)).toBeGreaterThan(500);
  await runAtEnd();
  expect([(await read())?.used, sumHeld((await read())?.held)]).toEqual([400, 0]);
});
