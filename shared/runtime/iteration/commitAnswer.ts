// Commit A: everything an answer brought, in one batch; the ending too, when the answer is final.

import type { Interpretation } from '../../contract/controller.ts';
import type { ToolCall, ToolDefinition } from '../../contract/tools.ts';
import { addTokens, type Failure, NO_TOKENS } from '../../schema/common.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import type { MessageDraft } from '../../schema/message.ts';
import { isObject, parseJson } from '../../text/json.ts';
import { appendMissingResult, appendResult } from './callResult.ts';
import type { IterationContext } from './context.ts';
import { type Entries, entriesFor } from './entries.ts';
import { interactionWrite, type ModelCall, tokensOf } from './modelCall.ts';
import { endWith, finishIteration, terminal } from './nextIteration.ts';
import { isSettled, settleCall } from './pendingCalls.ts';
import { startNextCalls } from './startNextCalls.ts';

/** More calls in one answer are not run: the state of each is rewritten with every result. */
const MAX_CALLS = 64;

/** Stores an answer with what it means. After it, the model is never asked again for this iteration. */
export async function commitAnswer(
  context: IterationContext,
  answer: { interpretation: Interpretation; call: ModelCall },
  { prelude, tools }: { prelude: MessageDraft[]; tools: ToolDefinition[] },
): Promise<void> {
  const { held, controller, deps } = context;
  const now = deps.clock.now();
  const { interpretation, call } = answer;
  const { events, message, next } = interpretation;
  const unusable: Failure | null =
    next.kind === 'give_feedback' ? { code: next.code, message: next.reason } : null;

  await held.commit((current) => {
    const entries = entriesFor(current, now);
    for (const draft of [...prelude, message]) entries.message(draft);
    for (const event of events) entries.event(event);
    const answered: Execution = {
      ...current,
      tokens: addTokens(current.tokens, tokensOf(call) ?? NO_TOKENS),
      // The model answered, even if it has to answer again (seed: recorded as a success).
      lastInteractionFailed: false,
      lastErrorMessage: null,
      consecutiveTimeouts: 0,
    };
    const mayAnswerAgain = call.mode !== 'conclude' && controller.loops;
    const execution = afterAnswer(answered, next, { mayAnswerAgain, tools }, entries, now);
    return { execution, writes: [...entries.writes, interactionWrite(current, context, call, unusable)] };
  });
}

function afterAnswer(
  execution: Execution,
  next: Interpretation['next'],
  { mayAnswerAgain, tools }: { mayAnswerAgain: boolean; tools: ToolDefinition[] },
  entries: Entries,
  now: Date,
): Execution {
  switch (next.kind) {
    case 'conclude':
      return terminal(
        execution,
        { status: 'completed', failure: null, finalAnalysis: next.analysis },
        entries,
        now,
      );
    case 'give_feedback': {
      const { code, reason: content } = next;
      if (!mayAnswerAgain) {
        return endWith(execution, { status: 'failed', failure: { code, message: content } }, entries, now);
      }
      entries.event({
        eventType: 'error',
        status: 'failed',
        content,
        metadata: { code, retryable: true, recoverable: true, iteration: execution.iteration },
      });
      for (const draft of next.messages) entries.message(draft);
      return finishIteration(execution, entries, now, false);
    }
    case 'call_tools': {
      const pendingCalls = next.calls.map((toolCall, index) => {
        const pending = reserve(toolCall, index, tools, entries);
        if (index < MAX_CALLS) return pending;
        const reason = `Not run: one answer may ask for ${MAX_CALLS} calls, this one asked for ${next.calls.length}.`;
        appendMissingResult(pending, reason, 'failed', entries);
        return { ...pending, state: 'failed' as const };
      });
      const called = settleAnswered({ ...execution, pendingCalls }, next, entries);
      return startNextCalls(called, entries, now);
    }
  }
}

/**
 * Appends the results of calls that are not run, because the controller knows them already. An error among them is for
 * the model to read, no failure of the iteration.
 */
function settleAnswered(
  execution: Execution,
  { answered = [] }: Extract<Interpretation['next'], { kind: 'call_tools' }>,
  entries: Entries,
): Execution {
  return execution.pendingCalls.reduce((current, pending) => {
    const result = answered.find(({ callId }) => callId === pending.callId);
    if (result === undefined || isSettled(pending)) return current;
    appendResult(pending, result, entries);
    return settleCall(current, pending.index, result.isError ? 'failed' : 'done', undefined);
  }, execution);
}

/** Appends the call and reserves the places of its result. An unknown tool changes nothing, so it may be repeated. */
function reserve(call: ToolCall, index: number, tools: ToolDefinition[], entries: Entries): PendingCall {
  entries.event({
    eventType: 'llm_tool_call',
    content: readableArguments(call),
    metadata: { toolName: call.name, callId: call.callId, arguments: call.arguments },
  });
  const tool = tools.find(({ name }) => name === call.name);
  return {
    index,
    callId: call.callId,
    name: call.name,
    readOnly: tool?.readOnly ?? true,
    state: 'requested',
    ...(tool?.waits !== undefined && { waits: tool.waits }),
    resultEvent: entries.reserveEvent(),
    resultMessage: entries.reserveMessage(),
  };
}

/** `server.tool(name: value, …)`, as a person would write it. */
function readableArguments(call: ToolCall): string {
  const parsed = parseJson(call.arguments);
  if (!isObject(parsed)) return `${call.name}(${call.arguments})`;
  const parameters = Object.entries(parsed).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `${call.name}(${parameters.join(', ')})`;
}
