// The tools' part of an iteration: each result is committed as it arrives; the last one is commit B, which ends the iteration.

import type { ConversationMessage } from '../../contract/llm.ts';
import type { ToolCall, ToolExecutor, ToolResult } from '../../contract/tools.ts';
import { errorMessage, InquestError } from '../../errors.ts';
import { isOwnCall } from '../../schema/block.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import { quote } from '../../text/quote.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import { type Budget, isTimeout } from './budget.ts';
import { appendMissingResult, appendResult, failedResult } from './callResult.ts';
import type { IterationContext } from './context.ts';
import { type Entries, entriesFor } from './entries.ts';
import { isSettled, settleCall } from './pendingCalls.ts';
import { startNextCalls } from './startNextCalls.ts';

/** An iteration whose answer is stored, and what its calls need. */
export interface ToolRun extends IterationContext {
  /** The calls of the stored answer, in order. */
  calls: ToolCall[];
  executor: ToolExecutor;
}

/**
 * Runs the pending calls until none is left.
 * @param cutOff indexes of calls that were running when their holder died and that must not be repeated:
 *   their result says that their effect is unverified.
 * @throws LeaseLostError when the execution changed meanwhile.
 */
export async function runTools(run: ToolRun, cutOff: number[] = []): Promise<void> {
  const { held } = run;
  for (const index of cutOff) await commitUnverified(run, index);
  let unanswered = held.current().pendingCalls.filter((call) => !isSettled(call)).length;
  const answered = async (): Promise<void> => {
    await run.deps.reach?.(CRASH_POINTS.afterTool);
    if (--unanswered === 0) await run.deps.reach?.(CRASH_POINTS.beforeCommitB);
  };
  while (held.current().pendingCalls.some((call) => !isSettled(call))) {
    const wave = held.current().pendingCalls.filter((call) => call.state === 'running');
    // All must have stopped before anything else happens: a call that goes on after its holder gave up is a zombie.
    const ended = await Promise.allSettled(wave.map((call) => runCall(run, call, answered)));
    for (const outcome of ended) {
      if (outcome.status === 'rejected') throw outcome.reason;
    }
  }
}

/** The calls of the answer that is stored last in a conversation. */
export function storedCalls(conversation: ConversationMessage[]): ToolCall[] {
  const answer = conversation.findLast((message) => message.role === 'assistant');
  return (answer?.blocks ?? []).flatMap((block) =>
    isOwnCall(block) ? [{ callId: block.toolUseId, name: block.toolName, arguments: block.input }] : [],
  );
}

async function runCall(run: ToolRun, pending: PendingCall, answered: () => Promise<void>): Promise<void> {
  const { held, budget, executor, deps } = run;
  const call = run.calls[pending.index];
  if (call === undefined) throw new RangeError(`call ${pending.index} is not in the stored answer`);
  const { sessionId, executionId, iteration, limits, traceparent } = held.current();
  const startedAt = deps.clock.now().getTime();

  await deps.reach?.(CRASH_POINTS.beforeTool);
  held.check();
  let result: ToolResult;
  try {
    const running = executor.execute(call, {
      signal: budget.signal,
      timeoutMs: limits.toolTimeoutMs,
      maxResultBytes: limits.toolResultBytes,
      idempotencyKey: `${sessionId}/${executionId}/${iteration}/${pending.index}`,
      traceparent,
    });
    [result] = await Promise.all([running, deps.reach?.(CRASH_POINTS.duringTool)]);
  } catch (error) {
    if (held.signal.aborted) throw held.signal.reason;
    // Only the end of the budget may stop a call; anything else is a fault of ours.
    if (!(error instanceof InquestError)) throw error;
    const unverified = pending.readOnly ? '' : ' Its effect is unverified.';
    const content = `${pending.name} was stopped: ${errorMessage(error)}${unverified}`;
    const durationMs = Math.max(0, deps.clock.now().getTime() - startedAt);
    result = { ...failedResult(pending, content, durationMs), timedOut: isTimeout(error) };
  }
  await answered();
  await commitResult(run, pending, result);
}

async function commitResult(run: ToolRun, pending: PendingCall, result: ToolResult): Promise<void> {
  const error = result.isError ? `${pending.name}: ${quote(result.content, 500)}` : undefined;
  const now = run.deps.clock.now();
  await run.held.commit((current) => {
    const entries = entriesFor(current, now);
    appendResult(pending, result, entries);
    const settled = settleCall(current, pending.index, result.isError ? 'failed' : 'done', error);
    return { execution: afterSettledCall(settled, run.budget, entries, now), writes: entries.writes };
  });
}

async function commitUnverified(run: ToolRun, index: number): Promise<void> {
  const now = run.deps.clock.now();
  await run.held.commit((current) => {
    const entries = entriesFor(current, now);
    const pending = current.pendingCalls.find((call) => call.index === index);
    if (pending === undefined) return { execution: current, writes: [] };
    const content = `The call of ${pending.name} was cut off while it ran. Whether it took effect is unverified; check before you repeat it.`;
    appendMissingResult(pending, content, 'failed', entries);
    const settled = settleCall(current, index, 'unknown', content);
    return { execution: afterSettledCall(settled, run.budget, entries, now), writes: entries.writes };
  });
}

/** The next calls start, or the iteration is finished. When its time is up, calls that have not started are not run. */
function afterSettledCall(execution: Execution, budget: Budget, entries: Entries, now: Date): Execution {
  let next = execution;
  if (budget.signal.aborted) {
    const reason = errorMessage(budget.signal.reason);
    for (const pending of execution.pendingCalls.filter((call) => call.state === 'requested')) {
      appendMissingResult(pending, `Not run: ${reason}`, 'timed_out', entries);
      next = settleCall(next, pending.index, 'failed', `${pending.name} was not run: ${reason}`);
    }
  }
  return startNextCalls(next, entries, now, budget.signal.aborted && isTimeout(budget.signal.reason));
}
