// Token budgets of the session and of the day. A request reserves its tokens first
// (`shared/features/budgets/affordCall.ts`); if a budget is used up, the agent has to conclude.

import { adviseLimit } from '../../../text/limitAdvice.ts';
import type { Limits } from '../../schema/agent.ts';
import type { BudgetName, Execution } from '../../schema/execution.ts';
import type { EventDraft } from '../../schema/timelineEvent.ts';
import type { ExecutionBatch } from '../conversation/executionBatch.ts';

/** Whether a session with `tokens` has used up its budget. */
export function isSessionUsedUp({ sessionTokens }: Limits, tokens: number): boolean {
  return sessionTokens !== undefined && tokens >= sessionTokens;
}

/** Appends the event about a used-up budget if the budget was not used up in `before`. */
export function noteBudget(before: Execution, after: Execution, batch: ExecutionBatch): void {
  if (after.budgetReached !== null && before.budgetReached === null)
    batch.appendEvent(budgetNotice(after.budgetReached, after.limits));
}

/** The event about a used-up budget and its consequence. */
export function budgetNotice(budget: BudgetName, limits: Limits): EventDraft {
  return {
    eventType: 'notice',
    content: `${usedUpText(budget, limits)} The agent has to conclude.`,
    metadata: { code: 'budget_reached', subject: budget },
  };
}

/** Why an agent ends without a conclusion. */
export function nothingLeft(budget: BudgetName, limits: Limits): string {
  return `${usedUpText(budget, limits)} The rest is too little for a conclusion.`;
}

function usedUpText(budget: BudgetName, limits: Limits): string {
  const of = budget === 'sessionTokens' ? 'investigation' : 'day';
  return `The tokens of this ${of} are used up or reserved: raise ${adviseLimit(budget, limits)}.`;
}
