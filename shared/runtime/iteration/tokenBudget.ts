// Budgets of tokens: of the session, and of the day. Counted with each model call; where one is used up, the agent has to
// conclude with its next iteration.

import type { Limits } from '../../schema/agent.ts';
import { paths, usageType } from '../../schema/documents.ts';
import type { BudgetName, Execution } from '../../schema/execution.ts';
import type { EventDraft } from '../../schema/timelineEvent.ts';
import type { RuntimeDeps } from '../deps.ts';
import { countUsage } from '../usage.ts';

/** Whether a session that has used `tokens` has used up its budget. */
export function isSessionUsedUp({ sessionTokens }: Limits, tokens: number): boolean {
  return sessionTokens !== undefined && tokens >= sessionTokens;
}

/**
 * Counts the tokens of a model call that is not committed yet, where others count, too: agents of the same stage, and all
 * sessions of a day. Counted before the commit: what was spent is counted, though the answer may be lost. A process that
 * dies in between, or a store that fails, counts one call too little.
 * @param tokens of the call.
 * @returns the budget that is used up with it; null for none. What the execution alone can tell is left to `afterCall`.
 */
export async function countTokens(
  { sessionId, stageId, siblings, tokensBefore, limits, expireAt }: Execution,
  tokens: number,
  { store, clock, log }: Pick<RuntimeDeps, 'store' | 'clock' | 'log'>,
): Promise<BudgetName | null> {
  const now = clock.now();
  const counts: Promise<BudgetName | null>[] = (limits.dailyTokens ?? []).map(async ({ chain, limit }) =>
    (await countUsage('tokens', chain, tokens, now, { store })) >= limit ? 'dailyTokens' : null,
  );
  if (siblings > 0 && limits.sessionTokens !== undefined) {
    const usage = { count: tokens, expireAt };
    const counting = store.increment(paths.stageUsage(sessionId, stageId), usageType, usage, 'count');
    counts.push(
      counting.then((count) => (isSessionUsedUp(limits, tokensBefore + count) ? 'sessionTokens' : null)),
    );
  }
  const results = await Promise.allSettled(counts);
  const reached: BudgetName[] = [];
  for (const result of results) {
    if (result.status === 'rejected')
      log.warn({ err: result.reason }, 'tokens of a model call are not counted');
    else if (result.value !== null) reached.push(result.value);
  }
  return reached[0] ?? null;
}

/** The event that says that a budget is used up, and what follows. */
export function budgetNotice(budget: BudgetName, { sessionTokens }: Limits): EventDraft {
  const text =
    budget === 'sessionTokens'
      ? `The ${sessionTokens} tokens of this investigation are used up (sessionTokens).`
      : 'The tokens of this day are used up (dailyTokens).';
  return {
    eventType: 'notice',
    content: `${text} The agent has to conclude.`,
    metadata: { code: 'budget_reached', subject: budget },
  };
}
