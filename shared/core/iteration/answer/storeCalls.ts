// Stores the calls of an answer in its batch: each with its event and the numbers of its result. Calls with
// known results are settled, and the next ones start.

import type { Interpretation } from '../../contract/controller.ts';
import type { ConversationMessage } from '../../contract/llm.ts';
import type { ToolCall, ToolDefinition, ToolResult } from '../../contract/tools.ts';
import type { ExecutionBatch } from '../../kernel/conversation/executionBatch.ts';
import { fitEvents } from '../../kernel/conversation/fitEvent.ts';
import { isStoredWhole } from '../../kernel/conversation/fitMessage.ts';
import type { ReservedIds } from '../../kernel/feature/feature.ts';
import { appendMissingResult, appendResult } from '../../kernel/state/callResult.ts';
import { isSettled, settleCall } from '../../kernel/state/pendingCalls.ts';
import { appendCall, formatCall } from '../../kernel/tools/requestCall.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import type { EventDraft } from '../../schema/timelineEvent.ts';
import { reserveIds, type Waits } from '../calls/planWaits.ts';
import { startNextCalls } from '../calls/startNextCalls.ts';
import type { Features } from '../context/features.ts';

/** Limit of the events of all calls, in UTF-8 bytes: they share a commit with the message of the answer. */
const CALLS_BYTES = 300_000;

/** Further calls of an answer do not run: the execution stores each state, and every result rewrites it. */
const MAX_CALLS = 64;

type CallTools = Extract<Interpretation['next'], { kind: 'call_tools' }>;

/** The context in which an answer with calls is stored. */
interface CalledWith {
  /** The messages before the answer. */
  conversation: readonly ConversationMessage[];
  /** The tools that the request offered. */
  tools: ToolDefinition[];
  /** The planned waits of calls that wait instead of running. */
  waits: Waits;
  /** The hooks for calls that do not run and for calls that wait. */
  features: Pick<Features, 'answerCalls' | 'waits'>;
}

/** The execution with the calls of an answer as pending calls, and the next ones started. */
export function storeCalls(
  execution: Execution,
  { message, next }: { message: Interpretation['message']; next: CallTools },
  { conversation, tools, waits, features }: CalledWith,
  batch: ExecutionBatch,
): Execution {
  const { calls, knownResults = [] } = next;
  const known = new Set(knownResults.map(({ callId }) => callId));
  const isWhole = isStoredWhole(message);
  const runnable = (isWhole ? calls.slice(0, MAX_CALLS) : []).filter(({ callId }) => !known.has(callId));
  const ids = reserveIds(execution, runnable, tools, features.waits);
  const events = fitEvents(
    calls.map((call) => callEvent(call, ids.reserved.get(call))),
    CALLS_BYTES,
  );
  const pendingCalls = calls.map((call, index): PendingCall => {
    const event = events[index] ?? callEvent(call);
    const pending = appendCall(call, index, tools, event, batch, ids.reserved.get(call));
    if (index < MAX_CALLS && isWhole) return pending;
    appendMissingResult(pending, refusalText(calls.length, isWhole), 'failed', batch);
    return { ...pending, state: 'failed' };
  });
  const answered = features.answerCalls(calls, { execution, known, conversation, tools });
  const called = { ...ids.execution, pendingCalls };
  const settled = settleKnownResults(called, [...knownResults, ...answered], batch);
  return startNextCalls(settled, calls, batch, waits);
}

function refusalText(count: number, isWhole: boolean): string {
  return isWhole
    ? `Not run: an answer can request at most ${MAX_CALLS} calls; this one requested ${count}.`
    : 'Not run: the answer is too large to be stored. Call with smaller arguments.';
}

/** Settles calls with known results; they do not run. An error is no failure of the iteration. */
function settleKnownResults(
  execution: Execution,
  knownResults: ToolResult[],
  batch: ExecutionBatch,
): Execution {
  return execution.pendingCalls.reduce((current, pending) => {
    const result = knownResults.find(({ callId }) => callId === pending.callId);
    if (result === undefined || isSettled(pending)) return current;
    appendResult(pending, result, batch);
    return settleCall(current, pending.index, 'done');
  }, execution);
}

function callEvent(call: ToolCall, ids: ReservedIds = {}): EventDraft {
  const { name: toolName, callId, arguments: args } = call;
  const metadata = { toolName, callId, arguments: args, ...ids };
  return { eventType: 'llm_tool_call', content: formatCall(call), metadata };
}
