// Commit A: everything an answer brought, in one batch; the ending too, when the answer is final.

import type { Interpretation } from '../../contract/controller.ts';
import type { ToolCall, ToolDefinition } from '../../contract/tools.ts';
import { controllerFor } from '../../controller/registry.ts';
import { addTokens, NO_TOKENS } from '../../schema/common.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import type { MessageDraft } from '../../schema/message.ts';
import { isObject, parseJson } from '../../text/json.ts';
import type { RuntimeDeps } from '../deps.ts';
import { tellNoResult, tellResult } from './callResult.ts';
import { type Entries, entriesFor } from './entries.ts';
import type { HeldExecution } from './lease.ts';
import { interactionWrite, type ModelCall, tokensOf } from './modelCall.ts';
import { endWith, finishIteration, terminal } from './nextIteration.ts';
import { isSettled, settleCall, startNextWave } from './pendingCalls.ts';

/** More calls in one answer are not run: the state of each is rewritten with every result. */
const MAX_CALLS = 64;

/** Stores an answer with what it means. After it, the model is never asked again for this iteration. */
export async function commitAnswer(
  held: HeldExecution,
  answer: { interpretation: Interpretation; call: ModelCall },
  context: { prelude: MessageDraft[]; tools: ToolDefinition[] },
  deps: RuntimeDeps,
): Promise<void> {
  const now = deps.clock.now();
  const { interpretation, call } = answer;
  const { events, message, next } = interpretation;
  const unusable = next.kind === 'give_feedback' ? { code: next.code, message: next.reason } : null;

  await held.commit((current) => {
    const entries = entriesFor(current, now);
    for (const draft of [...context.prelude, message]) entries.message(draft);
    for (const event of events) entries.event(event);
    const answered: Execution = {
      ...current,
      tokens: addTokens(current.tokens, tokensOf(call) ?? NO_TOKENS),
      // The model answered, even if it must be told to answer otherwise (seed: recorded as a success).
      lastInteractionFailed: false,
      lastErrorMessage: null,
      consecutiveTimeouts: 0,
    };
    const execution = afterAnswer(answered, next, call, context.tools, entries, now);
    return { execution, writes: [...entries.writes, interactionWrite(current, call, unusable)] };
  });
}

function afterAnswer(
  execution: Execution,
  next: Interpretation['next'],
  call: ModelCall,
  tools: ToolDefinition[],
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
      if (call.mode === 'conclude' || !controllerFor(execution.agent.strategy).loops) {
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
        tellNoResult(execution, pending, reason, 'failed', entries);
        return { ...pending, state: 'failed' as const };
      });
      const called = tellAnswered({ ...execution, pendingCalls }, next, entries);
      if (called.pendingCalls.every(isSettled)) return finishIteration(called, entries, now, false);
      return {
        ...called,
        pendingCalls: startNextWave(called.pendingCalls),
        lastEvent: entries.lastEvent(),
        lastMessage: entries.lastMessage(),
      };
    }
  }
}

/** Tells the results of calls that are not run, because the controller knows them already. */
function tellAnswered(
  execution: Execution,
  { calls, answered = [] }: Extract<Interpretation['next'], { kind: 'call_tools' }>,
  entries: Entries,
): Execution {
  return execution.pendingCalls.reduce((current, pending) => {
    const call = calls[pending.index];
    const result = answered.find(({ callId }) => callId === pending.callId);
    if (call === undefined || result === undefined || isSettled(pending)) return current;
    tellResult(current, pending, call, result, entries);
    const error = result.isError ? `${pending.name}: ${result.content}` : undefined;
    return settleCall(current, pending.index, result.isError ? 'failed' : 'done', error);
  }, execution);
}

/** Tells the call now and reserves the places of its result. A tool nobody knows changes nothing, so it may be repeated. */
function reserve(call: ToolCall, index: number, tools: ToolDefinition[], entries: Entries): PendingCall {
  entries.event({
    eventType: 'llm_tool_call',
    content: readableArguments(call),
    metadata: { toolName: call.name, callId: call.callId, arguments: call.arguments },
  });
  return {
    index,
    callId: call.callId,
    name: call.name,
    readOnly: tools.find((tool) => tool.name === call.name)?.readOnly ?? true,
    state: 'requested',
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
