import { describe, expect, it } from 'vitest';
import { budgetRow } from '../features/budgets/budgetReport.ts';
import { allowanceExpiry, allowancePath } from '../kits/allowances/allowance.ts';
import { tokenAllowance } from '../kits/budgets/usageLimits.ts';
import { type BudgetRules, budgetRulesField, listUsageLimits } from './budgets.ts';
import { keptForCritical } from './sessionLimits.ts';

const rule = { tokens: 100, period: 'month' as const };
const session = { tenantId: 'acme', userId: 'alice', labels: { team: 'shop' } };
const plain = { chain: null, limit: 100, budget: { name: 'b', period: 'month' } };
const of = (value: string) => [{ ...plain, budget: { ...plain.budget, of: value } }];

describe('a budget', () => {
  it.each<[string, Partial<BudgetRules[string]>, object[]]>([
    ['everything', {}, [plain]],
    ['a tenant', { tenant: 'acme' }, [plain]],
    ['another tenant', { tenant: 'other' }, []],
    ['a user', { user: 'alice' }, [plain]],
    ['another user', { user: 'bob' }, []],
    ['labels', { labels: { team: 'shop' } }, [plain]],
    ['labels that one alert lacks', { labels: { team: 'shop', zone: 'a' } }, []],
    ['an inherited property', { labels: { toString: 'x' } }, []],
    ['each tenant', { each: 'tenant' }, of('acme')],
    ['each user', { each: 'user' }, of('alice')],
    ['each label', { each: 'label.team' }, of('shop')],
    ['each of an absent label', { each: 'label.zone' }, []],
  ])('counts %s', (_, change, limits) => {
    expect(listUsageLimits({ b: { ...rule, ...change } }, session)).toEqual(limits);
  });

  it('counts long values apart, also where their first 60 characters are equal, and shorter ones as they are', () => {
    const start = 'a'.repeat(60);
    const long = `${start}b`;
    const countedAs = (team: string) =>
      listUsageLimits({ b: { ...rule, each: 'label.team' } }, { ...session, labels: { team } })[0]?.budget
        ?.of;
    const values = [start, long, `${start}c`, countedAs(long) ?? ''].map(countedAs);
    expect(values[0]).toBe(start);
    expect(values[1]).toMatch(/^a{60}…[0-9a-f]{16}$/);
    expect(new Set(values).size).toBe(4);
    expect(countedAs(`${'a'.repeat(59)}😀`)).toMatch(/^a{59}\uFFFD…/);
  });

  it('of each user counts no session without a user, and of labels none without an alert', () => {
    const nobody = { tenantId: 'acme', userId: null, labels: null };
    const rules = { a: { ...rule, each: 'user' }, b: { ...rule, labels: { team: 'shop' } } };
    expect(listUsageLimits(rules, nobody)).toEqual([]);
  });

  it('is one of 20 at most', () => {
    const named = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`b${index}`, rule]));
    expect([20, 21].map((count) => budgetRulesField.safeParse(named(count)).success)).toEqual([true, false]);
  });

  it.each([
    [{ tokens: 0, period: 'day' }, 'tokens'],
    [{ tokens: 1, period: 'week' }, 'period'],
    [{ tokens: 1, period: 'day', each: 'label.' }, 'each'],
    [{ tokens: 1, period: 'day', tenant: 'a.b' }, 'tenant'],
  ])('that is wrong is refused with its field: %j', (entry, field) => {
    const { error } = budgetRulesField.safeParse({ b: entry });
    expect(error?.issues.map(({ path }) => path)).toEqual([['b', field]]);
  });
});

it.each([
  ['day', 'allowances/budget~b.2026-06-30.0', '2026-07-30'],
  ['month', 'allowances/budget~b.2026-06.0', '2026-08-29'],
] as const)('the count of a %s is %s, kept for as long as a report can need it', (period, path, until) => {
  const at = new Date('2026-06-30T23:59:59Z');
  const expireAt = new Date(`${until}T23:59:59Z`);
  const allowance = tokenAllowance({ chain: null, budget: { name: 'b', period } });
  expect([allowancePath(allowance, at), allowanceExpiry(allowance, at)]).toEqual([path, expireAt]);
});

describe('the forecast of a budget', () => {
  const noon = new Date('2026-06-16T00:00:00Z');
  it.each([
    { used: 0, state: 'large', forecast: 0, reachedAt: null },
    { used: 40, state: 'large', forecast: 80, reachedAt: null },
    { used: 75, state: 'large', forecast: 150, reachedAt: new Date('2026-06-21T00:00:00Z') },
    { used: 80, state: 'small', forecast: 160, reachedAt: expect.any(Date) },
    { used: 99, state: 'small', forecast: 198, reachedAt: expect.any(Date) },
    { used: 100, state: 'record', forecast: 200, reachedAt: null },
  ])('continues the usage since its start: $used of 100 in half a month', ({ used, ...expected }) => {
    const row = budgetRow({ chain: null, limit: 100, budget: { name: 'b', period: 'month' } }, used, noon);
    expect(row).toMatchObject({ ...expected, until: new Date('2026-07-01T00:00:00Z') });
  });

  it.each([
    [90, 'small'],
    [91, 'record'],
  ])('of a day with %i % used is %s: a tenth is kept for conclusions', (used, state) => {
    expect(budgetRow({ chain: null, limit: 100 }, used, noon).state).toBe(state);
  });

  it.each([
    [72, 'small'],
    [73, 'record'],
  ])('of a day with a fifth for critical alerts and %i %% used is %s for others', (used, state) => {
    expect(budgetRow({ chain: null, limit: 100 }, used, noon, 20)).toMatchObject({ critical: 20, state });
  });

  it('is unknown in the first twentieth of the period', () => {
    const early = new Date('2026-06-02T11:59:00Z');
    const row = budgetRow({ chain: null, limit: 100, budget: { name: 'b', period: 'month' } }, 50, early);
    expect(row).toMatchObject({ forecast: null, reachedAt: null });
  });
});

it.each([
  [100, 20, 20],
  [4, 20, 1],
  [2, 20, 1],
  [1, 20, 0],
  [0, 20, 0],
  [10, 0, 0],
  [2, 90, 1],
])('of a limit of %i and %i %%, %i are kept for critical alerts', (limit, percent, kept) => {
  expect(keptForCritical(limit, percent)).toBe(kept);
});
