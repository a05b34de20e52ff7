// Runs the tool calls of an iteration. Each result is committed when it arrives; the last commit (commit B) ends the iteration.

import type { ConversationMessage } from '../../contract/llm.ts';
import type { ToolCall, ToolExecutor, ToolResult } from '../../contract/tools.ts';
import { errorMessage, InquestError } from '../../errors.ts';
import { isOwnCall } from '../../schema/block.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import { quote } from '../../text/quote.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import { type Budget, isTimeout } from './budget.ts';
import { appendMissingResult, appendResult, failedResult } from './callResult.ts';
import { commitBatch } from './commitBatch.ts';
import type { IterationContext } from './context.ts';
import type { ExecutionBatch } from './executionBatch.ts';
import { type CallFailure, isSettled, settleCall } from './pendingCalls.ts';
import { startNextCalls } from './startNextCalls.ts';

/** An iteration whose answer is stored, with what is needed to run its calls. */
export interface ToolRun extends IterationContext {
  /** The calls of the stored answer, in order. */
  calls: ToolCall[];
  executor: ToolExecutor;
}

/**
 * Runs the pending calls until none is left.
 * @param cutOff indexes of calls that were running when their holder died and that must not be repeated:
 *   their result says that their effect is unverified.
 * @throws LeaseLostError when another writer changed the execution.
 */
export async function runTools(run: ToolRun, cutOff: number[] = []): Promise<void> {
  const { held } = run;
  for (const index of cutOff) await commitUnverified(run, index);
  let unsettled = held.current().pendingCalls.filter((call) => !isSettled(call)).length;
  const reachResultPoints = async (): Promise<void> => {
    await run.deps.failpoint?.(CRASH_POINTS.afterTool);
    if (--unsettled === 0) await run.deps.failpoint?.(CRASH_POINTS.beforeCommitB);
  };
  while (held.current().pendingCalls.some((call) => !isSettled(call))) {
    const wave = held.current().pendingCalls.filter((call) => call.state === 'running');
    // Wait for all calls of the wave: one that still ran after the lease is released could overlap with the next holder's.
    const outcomes = await Promise.allSettled(wave.map((call) => runCall(run, call, reachResultPoints)));
    for (const outcome of outcomes) {
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

async function runCall(
  run: ToolRun,
  pending: PendingCall,
  reachResultPoints: () => Promise<void>,
): Promise<void> {
  const { held, budget, executor, masker, deps } = run;
  const call = run.calls[pending.index];
  if (call === undefined) throw new RangeError(`call ${pending.index} is not in the stored answer`);
  const { sessionId, executionId, iteration, limits, traceparent } = held.current();
  const startedAt = deps.clock.now().getTime();

  await deps.failpoint?.(CRASH_POINTS.beforeTool);
  held.check();
  let result: ToolResult;
  try {
    const running = executor.execute(call, {
      signal: budget.signal,
      timeoutMs: limits.toolTimeoutMs,
      maxResultBytes: limits.toolResultBytes,
      mask: (content) => masker.mask(content),
      idempotencyKey: `${sessionId}/${executionId}/${iteration}/${pending.index}`,
      traceparent,
    });
    [result] = await Promise.all([running, deps.failpoint?.(CRASH_POINTS.duringTool)]);
  } catch (error) {
    if (held.signal.aborted) throw held.signal.reason;
    // Executors throw only when the budget's signal aborts; any other error is a bug in this code.
    if (!(error instanceof InquestError)) throw error;
    const unverified = pending.readOnly ? '' : ' Its effect is unverified.';
    const content = `${pending.name} was stopped: ${errorMessage(error)}${unverified}`;
    const durationMs = Math.max(0, deps.clock.now().getTime() - startedAt);
    result = { ...failedResult(pending, content, durationMs), timedOut: isTimeout(error) };
  }
  await reachResultPoints();
  await commitResult(run, pending, result);
}

async function commitResult(run: ToolRun, pending: PendingCall, result: ToolResult): Promise<void> {
  const failure = failureOf(result);
  await commitBatch(run.held, run.deps, (current, batch) => {
    appendResult(pending, result, batch);
    const settled = settleCall(current, pending.index, failure === undefined ? 'done' : 'failed', failure);
    return continueCalls(settled, run.budget, batch);
  });
}

/** Why the call could not be run; undefined when its tool answered, be it with an error. */
function failureOf({ name, content, timedOut, noAnswer }: ToolResult): CallFailure | undefined {
  if (!timedOut && noAnswer === undefined) return undefined;
  return { message: `${name}: ${quote(content, 500)}`, timedOut };
}

async function commitUnverified(run: ToolRun, index: number): Promise<void> {
  await commitBatch(run.held, run.deps, (current, batch) => {
    const pending = current.pendingCalls.find((call) => call.index === index);
    if (pending === undefined) return current;
    const content = `The call of ${pending.name} was cut off while it ran. Whether it took effect is unverified; check before you repeat it.`;
    appendMissingResult(pending, content, 'failed', batch);
    const settled = settleCall(current, index, 'unknown', { message: content });
    return continueCalls(settled, run.budget, batch);
  });
}

/** Starts the next calls or finishes the iteration. After a time-out, calls that have not started are not run. */
function continueCalls(execution: Execution, budget: Budget, batch: ExecutionBatch): Execution {
  let next = execution;
  if (budget.signal.aborted) {
    const reason = errorMessage(budget.signal.reason);
    const timedOut = isTimeout(budget.signal.reason);
    for (const pending of execution.pendingCalls.filter((call) => call.state === 'requested')) {
      appendMissingResult(pending, `Not run: ${reason}`, 'timed_out', batch);
      next = settleCall(next, pending.index, 'failed', {
        message: `${pending.name} was not run: ${reason}`,
        timedOut,
      });
    }
  }
  return startNextCalls(next, batch);
}
