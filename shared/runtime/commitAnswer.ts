// Commit A: everything an answer brought, in one batch; the ending too, when the answer is final.

import type { Interpretation } from '../controller/controller.ts';
import { addTokens, NO_TOKENS } from '../schema/common.ts';
import type { Execution, PendingCall } from '../schema/execution.ts';
import type { MessageDraft } from '../schema/message.ts';
import type { ToolCall, ToolDefinition } from '../tools/types.ts';
import type { RuntimeDeps } from './deps.ts';
import { type Entries, entriesFor } from './entries.ts';
import type { HeldExecution } from './lease.ts';
import { interactionWrite, type ModelCall, tokensOf } from './modelCall.ts';
import { endWith, finishIteration, terminal } from './nextIteration.ts';
import { startNextWave } from './pendingCalls.ts';

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

  await held.commit((current) => {
    const entries = entriesFor(current, now);
    for (const draft of [...context.prelude, message]) entries.message(draft);
    for (const event of events) entries.event(event);
    const answered: Execution = {
      ...current,
      tokens: addTokens(current.tokens, tokensOf(call) ?? NO_TOKENS),
      lastInteractionFailed: false,
      lastErrorMessage: null,
      consecutiveTimeouts: 0,
    };
    const execution = afterAnswer(answered, next, call, context.tools, entries, now);
    return { execution, writes: [...entries.writes, interactionWrite(current, call, null)] };
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
    case 'give_feedback':
      if (call.mode === 'conclude') {
        const failure = { code: 'MODEL_EMPTY_ANSWER', message: next.reason };
        return endWith(execution, { status: 'failed', failure }, entries, now);
      }
      entries.event({
        eventType: 'error',
        status: 'failed',
        content: next.reason,
        metadata: {
          code: 'MODEL_MALFORMED_CALL',
          retryable: true,
          recoverable: true,
          iteration: execution.iteration,
        },
      });
      for (const draft of next.messages) entries.message(draft);
      return finishIteration(execution, entries, now);
    case 'call_tools': {
      const pendingCalls = next.calls.map((toolCall, index) => pending(toolCall, index, tools, entries));
      return {
        ...execution,
        pendingCalls: startNextWave(pendingCalls),
        lastEvent: entries.lastEvent(),
        lastMessage: entries.lastMessage(),
      };
    }
  }
}

/** Tells the call now and reserves the places of its result. A tool nobody knows changes nothing, so it may be repeated. */
function pending(call: ToolCall, index: number, tools: ToolDefinition[], entries: Entries): PendingCall {
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
  const parsed = parseObject(call.arguments);
  if (parsed === undefined) return `${call.name}(${call.arguments})`;
  const parameters = Object.entries(parsed).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `${call.name}(${parameters.join(', ')})`;
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
