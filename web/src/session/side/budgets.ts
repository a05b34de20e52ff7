// The use of a running session's limits.

import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { durationText, numberText } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import { listExecutions } from '../state/sentences.ts';

/** Name and text of each limit: tokens, running agents' iterations, time. @param now in ms. */
export function listBudgetTexts(view: SessionView, now: number): (readonly [string, string])[] {
  const { tokens, createdAt, deadline } = view;
  const executions = listExecutions(view);
  // Views of an older server have no limit of tokens.
  const limits = executions.flatMap(({ sessionTokens }) => sessionTokens ?? []);
  const running = executions.filter(({ status }) => !hasEnded(status) && status !== 'pending');
  const elapsed = durationText(Math.max(0, now - Date.parse(createdAt)));
  return [
    ...(limits.length > 0 ? [['Token budget', ofLimit(tokens.total, Math.min(...limits))] as const] : []),
    ...running.map(
      ({ agentName, countedIteration, maxIterations }) =>
        [agentName, `iteration ${numberText(countedIteration)} of ${numberText(maxIterations)}`] as const,
    ),
    ['Time', `${elapsed} of ${durationText(Date.parse(deadline) - Date.parse(createdAt))}`],
  ];
}

/** "9,604 of 20,000 (48 %)". */
function ofLimit(used: number, limit: number): string {
  return `${numberText(used)} of ${numberText(limit)} (${Math.floor((100 * used) / limit)} %)`;
}
