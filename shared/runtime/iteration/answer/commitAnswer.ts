// Commit A: stores a model's answer with everything that follows from it, in one batch.

import type { Interpretation } from '../../../contract/controller.ts';
import type { ConversationMessage } from '../../../contract/llm.ts';
import type { ToolCall, ToolDefinition, ToolResult } from '../../../contract/tools.ts';
import { RetryableError } from '../../../errors.ts';
import { MAX_FINDINGS_BYTES } from '../../../prompt/findings.ts';
import type { ConclusionReason } from '../../../prompt/investigation.ts';
import type { CaveatCode, Failure } from '../../../schema/common.ts';
import { childExecutionIdOf } from '../../../schema/documents.ts';
import type { Execution } from '../../../schema/execution.ts';
import type { MessageDraft } from '../../../schema/message.ts';
import type { EventDraft } from '../../../schema/timelineEvent.ts';
import { limitText } from '../../../text/limitText.ts';
import { type ChildPlan, planChildren } from '../../features/children/planChildren.ts';
import type { ExecutionBatch } from '../../kernel/conversation/executionBatch.ts';
import { fitEvents } from '../../kernel/conversation/fitEvent.ts';
import { isStoredWhole } from '../../kernel/conversation/fitMessage.ts';
import { commitCall } from '../../kernel/execution/commitCall.ts';
import type { IterationContext } from '../../kernel/execution/context.ts';
import { afterCall, interactionWrite, type ModelCall } from '../../kernel/model/modelCall.ts';
import { appendMissingResult, appendResult } from '../../kernel/state/callResult.ts';
import { conclusionReason } from '../../kernel/state/decide.ts';
import { closeExecution, endWithFailure, finishIteration } from '../../kernel/state/nextIteration.ts';
import { isSettled, settleCall } from '../../kernel/state/pendingCalls.ts';
import { budgetNotice } from '../../kernel/tokens/tokenBudget.ts';
import { appendCall, formatCall } from '../../kernel/tools/requestCall.ts';
import { startNextCalls } from '../calls/startNextCalls.ts';
import { repeatedCallResults } from '../../features/repeats/repeatedCalls.ts';

/** UTF-8 bytes of the events of an answer, and of the events of its calls: they share a commit with the message. */
const EVENTS_BYTES = 400_000;
const CALLS_BYTES = 300_000;

/** Further calls of an answer are not run: the execution stores the state of each, and is rewritten with every result. */
const MAX_CALLS = 64;

/** What an answer was asked with. */
interface SentWith {
  prelude: MessageDraft[];
  conversation: ConversationMessage[];
  tools: ToolDefinition[];
}

/**
 * Stores an answer and its interpretation; the model is not asked again for this iteration.
 * @param sent.prelude messages that were sent with the request and are not stored yet.
 * @param sent.conversation the messages before them.
 * @throws LeaseLostError when another writer changed the execution; nothing was written then.
 */
export async function commitAnswer(
  context: IterationContext,
  answer: { interpretation: Interpretation; call: ModelCall },
  { prelude, conversation, tools }: SentWith,
): Promise<void> {
  const { controller } = context;
  const { interpretation, call } = answer;
  const { events, message, next } = interpretation;
  // Where it cannot be read now, the calls stay as they are stored, and `runTools` reads it again.
  const children =
    next.kind === 'call_tools' ? await planChildren(context, next.calls).catch(asUnread) : undefined;
  const unusable: Failure | null =
    next.kind === 'give_feedback' ? { code: next.code, message: next.reason } : null;

  await commitCall(context, (current, batch) => {
    for (const draft of [...prelude, message]) batch.appendMessage(draft);
    for (const event of fitEvents(events, EVENTS_BYTES)) batch.appendEvent(event);
    const answered: Execution = {
      ...current,
      ...afterCall(current, call, context.agent.model),
      toolCalls: current.toolCalls + (next.kind === 'call_tools' ? next.calls.length : 0),
      // An unusable answer still counts as a successful interaction.
      lastInteractionFailed: false,
      lastErrorMessage: null,
      consecutiveTimeouts: 0,
      outage: null,
    };
    const { budgetReached, limits } = answered;
    if (budgetReached !== null && current.budgetReached === null && next.kind !== 'conclude')
      batch.appendEvent(budgetNotice(budgetReached, limits));
    const forcedBy = FORCED_BY[conclusionReason(current) ?? 'no_tools'];
    const isAskedAgain = controller.loops || (next.kind === 'give_feedback' && next.asksAgain === true);
    const mayAnswerAgain = call.mode !== 'conclude' && isAskedAgain;
    const sent = { mayAnswerAgain, forcedBy, conversation, tools, children };
    const execution = applyNextStep(answered, interpretation, sent, batch);
    batch.writes.push(interactionWrite(current, context, call, { failure: unusable, events }));
    return execution;
  });
}

/** `forcedBy`: what a forced conclusion was forced by. */
type Sent = {
  mayAnswerAgain: boolean;
  forcedBy: CaveatCode;
  children: ChildPlan | 'unread' | undefined;
} & Omit<SentWith, 'prelude'>;

/** The execution after the step that the answer asks for: its end, feedback to the model, or tool calls. */
function applyNextStep(
  execution: Execution,
  { events, message, next }: Interpretation,
  { mayAnswerAgain, forcedBy, conversation, tools, children }: Sent,
  batch: ExecutionBatch,
): Execution {
  switch (next.kind) {
    case 'conclude': {
      const { content: finalAnalysis, truncated } = limitText(next.analysis, MAX_FINDINGS_BYTES);
      const caveats = caveatsOfAnswer(forcedBy, events, truncated);
      return closeExecution(
        { ...execution, caveats },
        { status: 'completed', failure: null, finalAnalysis },
        batch,
      );
    }
    case 'give_feedback': {
      const { code, reason: content } = next;
      if (!mayAnswerAgain) {
        return endWithFailure(execution, { status: 'failed', failure: { code, message: content } }, batch);
      }
      batch.appendEvent({
        eventType: 'error',
        status: 'failed',
        content,
        metadata: { code, retryable: true, recoverable: true, iteration: execution.iteration },
      });
      for (const draft of next.messages) batch.appendMessage(draft);
      return finishIteration(execution, batch, { answeredNothing: code === 'MODEL_EMPTY_ANSWER' });
    }
    case 'call_tools': {
      const isWhole = isStoredWhole(message);
      const { knownResults = [] } = next;
      const known = new Set(knownResults.map(({ callId }) => callId));
      const runnable = isWhole ? next.calls.slice(0, MAX_CALLS) : [];
      const childIds = reserveChildren(
        execution,
        runnable.filter(({ callId }) => !known.has(callId)),
        tools,
      );
      const described = next.calls.map((toolCall) => callEvent(toolCall, childIds.get(toolCall)));
      const callEvents = fitEvents(described, CALLS_BYTES);
      const pendingCalls = next.calls.map((toolCall, index) => {
        const event = callEvents[index] ?? callEvent(toolCall);
        const pending = appendCall(toolCall, index, tools, event, batch, childIds.get(toolCall));
        if (index < MAX_CALLS && isWhole) return pending;
        const reason = isWhole
          ? `Not run: one answer may ask for ${MAX_CALLS} calls, this one asked for ${next.calls.length}.`
          : 'Not run: the answer is too large to be stored. Call with smaller arguments.';
        appendMissingResult(pending, reason, 'failed', batch);
        return { ...pending, state: 'failed' as const };
      });
      const { iteration, limits } = execution;
      const repeated =
        limits.repeatedCalls === 'run'
          ? []
          : repeatedCallResults(next.calls, known, { conversation, tools, iteration });
      const called = settleKnownResults(
        { ...execution, children: execution.children + childIds.size, pendingCalls },
        [...knownResults, ...repeated],
        batch,
      );
      return startNextCalls(called, next.calls, batch, children);
    }
  }
}

/** What forced a conclusion, as a caveat. Without a reason in the execution its tools could not be reached. */
const FORCED_BY: Record<ConclusionReason, CaveatCode> = {
  iterations_used: 'MAX_ITERATIONS',
  empty_answers: 'MODEL_EMPTY_ANSWER',
  time_outs: 'ITERATION_TIMEOUT',
  budget: 'BUDGET_REACHED',
  no_tools: 'TOOL_SERVER_UNAVAILABLE',
};

/** Why the analysis of an answer is less than it should be. */
function caveatsOfAnswer(forcedBy: CaveatCode, events: readonly EventDraft[], isCut: boolean): CaveatCode[] {
  const analysis = events.find((event) => event.eventType === 'final_analysis');
  const { forcedConclusion, truncated, outputFault } = analysis?.metadata ?? {};
  return [
    ...(forcedConclusion ? [forcedBy] : []),
    ...(truncated ? ['MODEL_TRUNCATED' as const] : []),
    ...(isCut ? ['DOCUMENT_TOO_LARGE' as const] : []),
    ...(outputFault === undefined ? [] : ['OUTPUT_INVALID' as const]),
  ];
}

/** Settles the calls whose results are known already; they are not run. An error among them is no failure of the iteration. */
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

/**
 * Gives the calls that ask agents the ids of their children, also those whose turn comes later: the event of a call names
 * its child.
 */
function reserveChildren(
  { executionId, children }: Execution,
  calls: readonly ToolCall[],
  tools: readonly ToolDefinition[],
): Map<ToolCall, string> {
  const asking = calls.filter((call) => tools.find(({ name }) => name === call.name)?.waits === 'child');
  return new Map(asking.map((call, index) => [call, childExecutionIdOf(executionId, children + index + 1)]));
}

function asUnread(error: unknown): 'unread' {
  if (!(error instanceof RetryableError)) throw error;
  return 'unread';
}

function callEvent(call: ToolCall, childExecutionId?: string): EventDraft {
  const metadata = {
    toolName: call.name,
    callId: call.callId,
    arguments: call.arguments,
    ...(childExecutionId !== undefined && { childExecutionId }),
  };
  return { eventType: 'llm_tool_call', content: formatCall(call), metadata };
}
