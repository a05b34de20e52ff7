// Runs an iteration's tool calls. Each result is committed on arrival; commit B ends the iteration.

import { quoteText } from '../../../text/cut.ts';
import type { ConversationMessage } from '../../contract/llm.ts';
import type { ExecuteOptions, ToolCall, ToolResult } from '../../contract/tools.ts';
import { errorMessage, InquestError, isStoreFailure } from '../../errors.ts';
import type { ExecutionBatch } from '../../kernel/conversation/executionBatch.ts';
import { CRASH_POINTS } from '../../kernel/crashPoints.ts';
import { isTimeout } from '../../kernel/execution/budget.ts';
import { commitBatch } from '../../kernel/execution/commitBatch.ts';
import type { PresentedResult } from '../../kernel/feature/feature.ts';
import { traceparentOfCall } from '../../kernel/session/spanIds.ts';
import {
  appendMissingResult,
  appendResult,
  appendUnknownResult,
  failedResult,
} from '../../kernel/state/callResult.ts';
import { type CallFailure, isSettled, nextCalls, settleCall } from '../../kernel/state/pendingCalls.ts';
import type { AgentTools } from '../../kernel/tools/agentTools.ts';
import { toolDigest } from '../../kernel/tools/toolDigest.ts';
import { innerCall } from '../../prompts/toolSearch.ts';
import { isOwnCall } from '../../schema/block.ts';
import { addTokens, NO_TOKENS } from '../../schema/common.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import type { EventDraft } from '../../schema/timelineEvent.ts';
import type { RunContext } from '../context/features.ts';
import { planWaits, type Waits } from './planWaits.ts';
import { startNextCalls } from './startNextCalls.ts';

/** Maximum number of read-only tools that the result of an interrupted call names. */
const NAMED_CHECKS = 3;

/** An iteration with a stored answer, with the data for running its calls. */
interface ToolRun extends RunContext {
  /** The calls of the stored answer, in order. */
  calls: ToolCall[];
  /** The agent's tools, prepared for running calls. */
  executor: AgentTools;
}

interface PlannedRun extends ToolRun {
  /** The planned waits of calls that wait instead of running. */
  waits: Waits;
}

/**
 * Runs the pending calls until none is left.
 * @param cutOff indexes of calls with side effects that were running when their holder died.
 * @returns when all calls have their result, or when the next ones wait.
 * @throws LeaseLostError when another writer changed the execution.
 */
export async function runTools(answered: ToolRun, cutOff: number[] = []): Promise<void> {
  const { held, features } = answered;
  const { pendingCalls } = held.current();
  const calls = answered.calls.map((call) => features.prepareCall(answered, call));
  const requested = pendingCalls.filter(({ state }) => state === 'requested');
  const waiting = features.waits.filter(({ kind }) => requested.some(({ waits }) => waits === kind));
  const run = { ...answered, calls, waits: await planWaits(answered, calls, waiting, 'throw') };
  for (const index of cutOff) await recoverCall(run, index);
  // After a wait, the next calls might have to wait, too; a claim starts only calls that run.
  if (nextCalls(held.current().pendingCalls).kind === 'wait') await commitNextCalls(run);
  let unsettled = held.current().pendingCalls.filter((call) => !isSettled(call)).length;
  const passCrashPoints = async (): Promise<void> => {
    await run.deps.failpoint?.(CRASH_POINTS.afterTool);
    if (--unsettled === 0) await run.deps.failpoint?.(CRASH_POINTS.beforeCommitB);
  };
  while (held.current().pendingCalls.some(({ state }) => state === 'running')) {
    const running = held.current().pendingCalls.filter((call) => call.state === 'running');
    const wave = await run.features.admitCalls(run, running);
    // Waits for all calls of the wave: one that runs after the release could overlap with the next holder's.
    const outcomes = await Promise.allSettled(wave.map((call) => runCall(run, call, passCrashPoints)));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') throw outcome.reason;
    }
  }
}

/** The calls of the last stored answer in a conversation. */
export function storedCalls(conversation: ConversationMessage[]): ToolCall[] {
  const answer = conversation.findLast((message) => message.role === 'assistant');
  return (answer?.blocks ?? []).flatMap((block) =>
    isOwnCall(block)
      ? [innerCall({ callId: block.toolUseId, name: block.toolName, arguments: block.input })]
      : [],
  );
}

async function runCall(
  run: PlannedRun,
  pending: PendingCall,
  passCrashPoints: () => Promise<void>,
): Promise<void> {
  const { held, executor, deps } = run;
  const call = run.calls[pending.index];
  if (call === undefined) throw new RangeError(`call ${pending.index} is not in the stored answer`);
  const startedAt = deps.clock.now().getTime();

  await deps.failpoint?.(CRASH_POINTS.beforeTool);
  if (isChanged(run, pending)) return commitChangedTool(run, pending);
  const tool = executor.list().find(({ name }) => name === call.name);
  const refusal = await run.features.refuseCall(run, pending, call, tool);
  if (refusal !== undefined) return commitRefusal(run, pending, refusal);
  // A process can stall in each wait above, so nothing waits between this check and the call.
  held.check();
  let result: ToolResult;
  let hasHung = false;
  try {
    const options = buildCallOptions(run, pending);
    const left = (call.until?.getTime() ?? Number.POSITIVE_INFINITY) - startedAt;
    const refused = left <= 0 ? 'Not run: its time is over.' : offeredSinceText(run, pending);
    const running =
      refused === undefined
        ? executor.execute(call, { ...options, timeoutMs: Math.min(options.timeoutMs, left) })
        : Promise.resolve(failedResult(call, refused));
    [result] = await Promise.all([running, deps.failpoint?.(CRASH_POINTS.duringTool)]);
    // A server that got less than the agent's time did not hang.
    hasHung = result.timedOut && left >= options.timeoutMs;
  } catch (error) {
    if (held.signal.aborted) throw held.signal.reason;
    // Executors throw only when the budget's signal aborts or the store fails; any other error is a bug.
    if (!(error instanceof InquestError) || isStoreFailure(error)) throw error;
    const unverified = pending.readOnly ? '' : ' Its effect is unverified.';
    const content = `${pending.name} was stopped: ${errorMessage(error)}${unverified}`;
    const durationMs = Math.max(0, deps.clock.now().getTime() - startedAt);
    result = { ...failedResult(pending, content, durationMs), timedOut: isTimeout(error) };
    // A server that got little of the iteration's time did not hang.
    hasHung = result.timedOut && durationMs >= held.current().limits.iterationTimeoutMs / 4;
  }
  const presented = await run.features.presentResult(run, pending, call, result);
  const note = run.features.noteResult(run, pending, call, result);
  await passCrashPoints();
  await commitResult(run, pending, presented, { hasHung, note });
}

function buildCallOptions(
  { held, budget, masker, deps: { telemetry } }: ToolRun,
  { index, resultEvent }: PendingCall,
): ExecuteOptions {
  const { sessionId, executionId, iteration, limits, traceparent } = held.current();
  return {
    signal: budget.signal,
    timeoutMs: limits.toolTimeoutMs,
    maxResultBytes: limits.toolResultBytes,
    mask: (content) => masker.maskGradually(content),
    idempotencyKey: `${sessionId}/${executionId}/${iteration}/${index}`,
    traceparent:
      telemetry === undefined
        ? traceparent
        : traceparentOfCall({ sessionId, executionId }, resultEvent, telemetry.isSampled(sessionId)),
  };
}

/**
 * Why a tool is not run that has other rights than the call was stored with. The tool was not offered then
 * (its server was unreachable, or it had changed for a while), so the call counted as free of effects: it
 * could run twice, or without approval.
 */
function offeredSinceText({ executor }: ToolRun, { name, readOnly, waits }: PendingCall): string | undefined {
  const tool = executor.list().find((one) => one.name === name);
  return tool !== undefined && (tool.readOnly !== readOnly || tool.waits !== waits)
    ? `${name} was not run: it was not offered when you called it. Nothing was executed. It is offered now.`
    : undefined;
}

/** Whether the tool differs from the one that the person approved. The executor reports a missing tool. */
function isChanged({ executor }: ToolRun, { name, toolDigest: approved }: PendingCall): boolean {
  if (approved !== undefined && executor.changes.some((change) => change.name === name)) return true;
  const tool = executor.list().find((one) => one.name === name);
  return approved !== undefined && tool !== undefined && toolDigest(tool) !== approved;
}

function commitChangedTool(run: PlannedRun, pending: PendingCall): Promise<void> {
  const message = `${pending.name} was not run: its definition has changed since it was approved.`;
  const metadata = { code: 'tool_changed', subject: pending.name } as const;
  return commitNotRun(run, pending, message, { eventType: 'notice', content: message, metadata });
}

function commitRefusal(run: PlannedRun, pending: PendingCall, reason: string): Promise<void> {
  const message = `${pending.name} was not run: ${reason}`;
  const { iteration } = run.held.current();
  const metadata = { code: 'APPROVAL_INVALID', retryable: false, recoverable: true, iteration } as const;
  return commitNotRun(run, pending, message, {
    eventType: 'error',
    status: 'failed',
    content: message,
    metadata,
  });
}

async function commitNotRun(
  run: PlannedRun,
  pending: PendingCall,
  message: string,
  event: EventDraft,
): Promise<void> {
  await commitBatch(run.held, run.deps, (current, batch) => {
    batch.appendEvent(event);
    appendMissingResult(pending, message, 'failed', batch);
    return continueCalls(run, settleCall(current, pending.index, 'failed', { message }), batch);
  });
}

async function commitResult(
  run: PlannedRun,
  pending: PendingCall,
  presented: PresentedResult,
  { hasHung, note }: { hasHung: boolean; note: ReturnType<RunContext['features']['noteResult']> },
): Promise<void> {
  const failure = explainFailedCall(presented.result, hasHung);
  await commitBatch(run.held, run.deps, (current, batch) => {
    appendResult(pending, presented.result, batch);
    const appended = withUsed(presented.append?.(current, batch) ?? current, presented.result);
    const noted = note?.(appended) ?? appended;
    const settled = settleCall(noted, pending.index, failure === undefined ? 'done' : 'failed', failure);
    return continueCalls(run, settled, batch);
  });
}

function withUsed(execution: Execution, { tokens = 0 }: Pick<ToolResult, 'tokens'>): Execution {
  if (tokens === 0) return execution;
  const used = { ...NO_TOKENS, input: tokens, total: tokens };
  return { ...execution, tokens: addTokens(execution.tokens, used) };
}

/**
 * Why the call could not run; undefined if its tool answered, even with an error, and for a tool that the
 * model is not offered: that is feedback to the model.
 */
function explainFailedCall(
  { name, content, timedOut, noAnswer, unknownTool }: ToolResult,
  hasHung: boolean,
): CallFailure | undefined {
  if (!timedOut && (noAnswer === undefined || unknownTool)) return undefined;
  return { message: `${name}: ${quoteText(content, 500)}`, timedOut: hasHung };
}

/**
 * Decides about a call with side effects that was running when its holder died. It stays `running` and runs
 * again if its tool recognises duplicates, or if a probe shows that it had no effect; otherwise it gets its
 * result.
 */
async function recoverCall(run: PlannedRun, index: number): Promise<void> {
  const { held, executor, budget } = run;
  const pending = held.current().pendingCalls.find((call) => call.index === index);
  const call = run.calls[index];
  if (pending === undefined || call === undefined || isChanged(run, pending))
    return commitUnknown(run, index);
  if (pending.recovery === undefined) return commitUnknown(run, index);
  if (pending.recovery === 'repeat') return;
  held.check();
  const { answer, content } = await executor
    .probe(call, buildCallOptions(run, pending))
    .catch((error: unknown) => {
      if (held.signal.aborted) throw held.signal.reason;
      if (!budget.signal.aborted) throw error;
      return { answer: 'unclear' as const, content: errorMessage(error) };
    });
  switch (answer) {
    case 'did_not_happen':
      return;
    case 'unclear':
      return commitUnknown(run, index, ` The probe gave no clear answer: ${content}`);
    case 'happened':
      return commitProbed(run, pending, content);
  }
}

/** Stores the probe's answer as the result: the tool did run, and its own result was lost with the caller. */
async function commitProbed(run: PlannedRun, pending: PendingCall, content: string): Promise<void> {
  const report = `The call of ${pending.name} was cut off while it ran. Its probe confirms that it took effect: ${content}`;
  await commitBatch(run.held, run.deps, (current, batch) => {
    appendResult(pending, { ...failedResult(pending, report), isError: false }, batch);
    const read = { ...current, reads: { ...current.reads, text: true } };
    return continueCalls(run, settleCall(read, pending.index, 'done'), batch);
  });
}

async function commitUnknown(run: PlannedRun, index: number, probed = ''): Promise<void> {
  await commitBatch(run.held, run.deps, (current, batch) => {
    const pending = current.pendingCalls.find((call) => call.index === index);
    if (pending === undefined) return current;
    const content = `Outcome unknown: the call of ${pending.name} was cut off while it ran, and is not repeated.${probed} ${adviseCheck(run, pending)}`;
    appendUnknownResult(pending, content, batch);
    const settled = settleCall(current, index, 'unknown', { message: content });
    return continueCalls(run, settled, batch);
  });
}

/** Names read-only tools of the same server that can verify the effect, so that the model need not guess. */
function adviseCheck({ executor }: ToolRun, { name }: PendingCall): string {
  const server = `${name.split('.')[0]}.`;
  const checks = executor.list().filter((tool) => tool.readOnly && tool.name.startsWith(server));
  const names = checks.slice(0, NAMED_CHECKS).map((tool) => tool.name);
  const how = names.length === 0 ? 'a read-only call' : `a read-only call (${names.join(', ')})`;
  return `Verify with ${how} whether it took effect before you rely on it or call it again.`;
}

async function commitNextCalls(run: PlannedRun): Promise<void> {
  await commitBatch(run.held, run.deps, (current, batch) =>
    startNextCalls(current, run.calls, batch, run.waits),
  );
}

/** Starts the next calls or finishes the iteration. After a time-out, further calls do not run. */
function continueCalls(
  { budget, calls, waits }: PlannedRun,
  execution: Execution,
  batch: ExecutionBatch,
): Execution {
  let next = execution;
  if (budget.signal.aborted) {
    const reason = errorMessage(budget.signal.reason);
    for (const pending of execution.pendingCalls.filter((call) => call.state === 'requested')) {
      appendMissingResult(pending, `Not run: ${reason}`, 'timed_out', batch);
      next = settleCall(next, pending.index, 'failed', {
        message: `${pending.name} was not run: ${reason}`,
      });
    }
  }
  return startNextCalls(next, calls, batch, waits);
}
