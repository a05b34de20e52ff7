import { expect, it } from 'vitest';
import { shownSession } from '../../../dev/fixtures.ts';
import { newestOf } from '../../../dev/loadFixtures.ts';
import { runningSession } from '../../../fixtures/running.ts';
import { listBudgetTexts } from './budgets.ts';

it('a running session has used a part of its tokens, iterations and time', () => {
  const view = shownSession(runningSession(newestOf('synthesis')));
  const began = Date.parse(view.createdAt);
  const deadline = new Date(began + 40 * 60_000).toISOString();
  const withLimit = (sessionTokens: number | null) =>
    view.stages.map((stage) => ({
      ...stage,
      executions: stage.executions.map((execution) => ({ ...execution, sessionTokens })),
    }));
  const limited = { ...view, deadline, stages: withLimit(20_000), tokens: { ...view.tokens, total: 9_604 } };
  expect(listBudgetTexts(limited, began + 48_000)).toEqual([
    ['Token budget', '9,604 of 20,000 (48 %)'],
    ['release-reviewer', expect.stringMatching(/^iteration \d+ of \d+$/)],
    ['Time', '48 s of 40 min'],
  ]);
  expect(listBudgetTexts({ ...view, deadline, stages: withLimit(null) }, began)).toEqual([
    ['release-reviewer', expect.any(String)],
    ['Time', expect.stringContaining('of 40 min')],
  ]);
});
