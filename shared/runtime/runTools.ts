// The tools' part of an iteration: each result is committed as it arrives; the last one is commit B, which ends the iteration.

import { controllerFor } from '../controller/registry.ts';
import { errorMessage } from '../errors.ts';
import type { ConversationMessage } from '../llm/types.ts';
import type { PendingCall } from '../schema/execution.ts';
import type { ToolCall, ToolExecutor, ToolResult } from '../tools/types.ts';
import { type Budget, isTimeout } from './budget.ts';
import type { RuntimeDeps } from './deps.ts';
import { entriesFor } from './entries.ts';
import type { HeldExecution } from './lease.ts';
import { finishIteration } from './nextIteration.ts';
import { isSettled, settleCall, startNextWave } from './pendingCalls.ts';

export interface ToolRun {
  held: HeldExecution;
  /** The calls of the stored answer, in order. */
  calls: ToolCall[];
  executor: ToolExecutor;
  budget: Budget;
  deps: RuntimeDeps;
}

/**
 * Runs the pending calls until none is left.
 * @param cutOff indexes of calls that were running when their holder died and that must not be repeated:
 *   the model is told that their effect is unverified.
 * @throws LeaseLostError when the execution changed meanwhile.
 */
export async function runTools(run: ToolRun, cutOff: number[] = []): Promise<void> {
  const { held } = run;
  for (const index of cutOff) {
    const call = held.current().pendingCalls[index];
    if (call !== undefined) await commitResult(run, call, 'unknown', unverified(call));
  }
  while (held.current().pendingCalls.some((call) => !isSettled(call))) {
    const wave = held.current().pendingCalls.filter((call) => call.state === 'running');
    // All must have stopped before anything else happens: a call that goes on after its holder gave up is a zombie.
    const ended = await Promise.allSettled(wave.map((call) => runCall(run, call)));
    for (const { status, reason } of ended as PromiseRejectedResult[]) {
      if (status === 'rejected') throw reason;
    }
  }
}

/** The calls of the answer that is stored last in a conversation. */
export function storedCalls(conversation: ConversationMessage[]): ToolCall[] {
  const answer = conversation.findLast((message) => message.role === 'assistant');
  return (answer?.blocks ?? []).flatMap((block) =>
    block.blockType === 'tool_use'
      ? [{ callId: block.toolUseId, name: block.toolName, arguments: block.input }]
      : [],
  );
}

async function runCall(run: ToolRun, pending: PendingCall): Promise<void> {
  const { held, budget, executor, deps } = run;
  const call = run.calls[pending.index];
  const { sessionId, executionId, iteration, agent, traceparent } = held.current();
  const startedAt = deps.clock.now().getTime();
  const failed = (content: string, timedOut: boolean): ToolResult => ({
    callId: pending.callId,
    name: pending.name,
    content,
    isError: true,
    truncated: false,
    durationMs: Math.max(0, deps.clock.now().getTime() - startedAt),
    timedOut,
  });

  if (call === undefined) {
    return commitResult(run, pending, 'failed', failed('The arguments of this call are missing.', false));
  }
  let result: ToolResult;
  try {
    result = await executor.execute(call, {
      signal: budget.signal,
      timeoutMs: agent.limits.toolTimeoutMs,
      maxResultBytes: agent.limits.toolResultBytes,
      idempotencyKey: `${sessionId}/${executionId}/${iteration}/${pending.index}`,
      traceparent,
    });
  } catch (error) {
    if (held.signal.aborted) throw held.signal.reason;
    result = failed(
      `${pending.name} was stopped: ${errorMessage(error)}${pending.readOnly ? '' : ' Its effect is unverified.'}`,
      isTimeout(error),
    );
  }
  await commitResult(run, pending, result.isError ? 'failed' : 'done', result);
}

async function commitResult(
  run: ToolRun,
  pending: PendingCall,
  state: 'done' | 'failed' | 'unknown',
  result: ToolResult,
): Promise<void> {
  const now = run.deps.clock.now();
  await run.held.commit((current) => {
    const entries = entriesFor(current, now);
    entries.event(
      {
        eventType: 'tool_result',
        status: result.timedOut ? 'timed_out' : result.isError ? 'failed' : 'completed',
        content: result.content || '(no output)',
        metadata: {
          toolName: pending.name,
          callId: pending.callId,
          isError: result.isError,
          truncated: result.truncated,
          durationMs: state === 'unknown' ? null : result.durationMs,
        },
      },
      pending.resultEvent,
    );
    const call = run.calls[pending.index] ?? { callId: pending.callId, name: pending.name, arguments: '{}' };
    const observation = controllerFor(current.agent.strategy).observe(call, result);
    entries.message(observation, pending.resultMessage);

    const settled = settleCall(current, {
      index: pending.index,
      state,
      error: `${pending.name}: ${result.content.slice(0, 500)}`,
      timedOut: result.timedOut,
    });
    const execution = settled.pendingCalls.every(isSettled)
      ? finishIteration(settled, entries, now)
      : { ...settled, pendingCalls: startNextWave(settled.pendingCalls) };
    return { execution, writes: entries.writes };
  });
}

function unverified(call: PendingCall): ToolResult {
  return {
    callId: call.callId,
    name: call.name,
    content: `The call of ${call.name} was cut off while it ran. Whether it took effect is unverified; check before you repeat it.`,
    isError: true,
    truncated: false,
    durationMs: 0,
    timedOut: false,
  };
}
