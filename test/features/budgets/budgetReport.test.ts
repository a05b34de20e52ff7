// Budgets of tokens, as operators list them.

import { expect, it } from 'vitest';
import { tokenAllowance } from '../../../shared/kits/budgets/usageLimits.ts';
import { passPace, useUnits } from '../../support/allowances.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { skipDayEnd } from '../../support/testClock.ts';

it('budgets are listed for operators with their usage, by each value that used some, and with a forecast', async () => {
  const api = await startApiBench({
    script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    budgets: { dailyTokens: [{ chain: null, limit: 9_000_000 }] },
  });
  skipDayEnd(api.deps.clock);
  const month = { tokens: 5_000_000, period: 'month' as const };
  Object.assign(api.config, { budgetRules: { all: month, teams: { ...month, each: 'label.team' } } });
  const day = { ...month, period: 'day' as const };
  Object.assign(api.config.budgetRules ?? {}, { today: day });
  await api.investigate({ title: 'Disk is full', labels: { team: 'shop' } });
  await api.investigate({ title: 'Disk is slow', labels: { team: 'pay' } });
  await api.investigate({ title: 'Disk is lost', labels: { team: 'pay' } });
  // The values of other months are not listed.
  const { clock } = api.deps;
  const last = new Date(clock.now().getTime() - 32 * 24 * 3_600_000);
  const ofLast = { chain: null, budget: { name: 'teams', period: 'month' as const, of: 'web' } };
  await useUnits(api.deps, tokenAllowance(ofLast), 7, last);
  await passPace(api.deps);
  const { body } = await api.ask('/v1/budgets');
  expect(body.budgets).toMatchObject([
    { name: 'dailyTokens', of: null, period: 'day', limit: 9_000_000, state: 'large' },
    { name: 'all', of: null, period: 'month', limit: 5_000_000, used: expect.any(Number), state: 'large' },
    { name: 'teams', of: 'pay' },
    { name: 'teams', of: 'shop' },
    { name: 'today', period: 'day' },
  ]);
  const [, all, pay, shop, today] = body.budgets.map(({ used }: { used: number }) => used);
  expect(shop).toBeGreaterThan(0);
  // Two sessions, whose requests have a word less.
  expect(pay).toBeGreaterThan(1.9 * shop);
  expect([pay + shop, today]).toEqual([all, all]);
});
