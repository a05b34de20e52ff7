import { expect, it } from 'vitest';
import { budgetLine } from './budgets.ts';

type UsedBudget = Parameters<typeof budgetLine>[0];

it('a budget is printed with its shares, its state and its forecast, and without hidden characters', () => {
  const day: UsedBudget = {
    ...{ name: 'dailyTokens', of: null, period: 'day', limit: 2_000_000, critical: 400_000, used: 410_000 },
    ...{ state: 'large', forecast: null, reachedAt: null, until: '2026-11-21T00:00:00.000Z' },
  };
  const [reachedAt, of] = ['2026-12-01T00:00:00.000Z', '<b>shop</b> \u202Eevil'];
  const team: UsedBudget = {
    ...{ name: 'teams', of, period: 'month', limit: 40_000_000, critical: 0, used: 35_000_000 },
    ...{ state: 'small', forecast: 52_000_000, reachedAt, until: reachedAt },
  };
  const lines = [day, team].map(budgetLine);
  expect(lines).toEqual([
    'dailyTokens  410000 of 2000000 a day (21 %, 400000 kept for critical)  large  no forecast yet',
    'teams (<b>shop</b> \uFFFDevil)  35000000 of 40000000 a month (88 %)  small  forecast 130 %, reached at 2026-12-01T00:00:00.000Z',
  ]);
});
