import { expect, it } from 'vitest';
import { budgetUsage } from '../../../web/fixtures/pages/operations.ts';
import { budgetLine } from './budgets.ts';

type UsedBudget = Parameters<typeof budgetLine>[0];

it('a budget is printed with its shares, its state and its forecast, and without hidden characters', () => {
  const [day, team] = budgetUsage(new Date('2026-11-20T10:00:00Z'));
  const lines = [day, { ...team, of: '<b>shop</b> \u202Eevil' }].map((row) => budgetLine(row as UsedBudget));
  expect(lines).toEqual([
    'dailyTokens  410000 of 2000000 a day (21 %, 400000 kept for critical)  large  no forecast yet',
    'teams (<b>shop</b> \uFFFDevil)  35000000 of 40000000 a month (88 %)  small  forecast 130 %, reached at 2026-12-01T00:00:00.000Z',
  ]);
});
