// Logs how a session ended, in one line.

import { addTokens, NO_TOKENS } from '../../schema/common.ts';
import { addCosts, NO_COST } from '../../schema/cost.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Session } from '../../schema/session.ts';
import type { StateDeps } from '../deps.ts';
import { describeInput } from '../stageFeature.ts';

/**
 * Logs the end of a session, after it was stored.
 * @param executions the readable executions of all its stages, for the counts.
 */
export function logSessionEnd(
  session: Session,
  executions: readonly Execution[],
  deps: Pick<StateDeps, 'log' | 'stageFeatures'>,
): void {
  const { sessionId, traceparent, status, failure, caveats, createdAt, endedAt } = session;
  const { log } = deps;
  const sum = (count: (execution: Execution) => number) =>
    executions.reduce((total, execution) => total + count(execution), 0);
  const fields = {
    sessionId,
    traceparent,
    status,
    code: failure?.code,
    caveats: caveats.length === 0 ? undefined : caveats.map(({ code }) => code),
    title: describeInput(session, deps).title,
    durationMs: (endedAt ?? createdAt).getTime() - createdAt.getTime(),
    tokens: executions.reduce((total, { tokens }) => addTokens(total, tokens), NO_TOKENS),
    cost: executions.reduce((total, { cost }) => addCosts(total, cost), NO_COST),
    iterations: sum(({ iteration, startedAt }) => (startedAt === null ? 0 : iteration)),
    toolCalls: sum(({ toolCalls }) => toolCalls),
  };
  if (status === 'completed') log.info(fields, 'session ended');
  else log.warn(fields, 'session ended');
}
