// Commit A: stores a model's answer and all its consequences in one batch.

import { limitText } from '../../../text/limitText.ts';
import type { Interpretation } from '../../contract/controller.ts';
import { countCalls } from '../../contract/ledgerTool.ts';
import type { ConversationMessage } from '../../contract/llm.ts';
import { isScriptForOthers } from '../../contract/scriptedModel.ts';
import type { ToolDefinition } from '../../contract/tools.ts';
import type { ExecutionBatch } from '../../kernel/conversation/executionBatch.ts';
import { fitEvents } from '../../kernel/conversation/fitEvent.ts';
import { commitCall } from '../../kernel/execution/commitCall.ts';
import { afterCall, interactionWrite, type ModelCall, tierNotice } from '../../kernel/model/modelCall.ts';
import { conclusionReason } from '../../kernel/state/decide.ts';
import { closeExecution, endWithFailure, finishIteration } from '../../kernel/state/nextIteration.ts';
import { budgetNotice } from '../../kernel/tokens/tokenBudget.ts';
import { MAX_FINDINGS_BYTES } from '../../prompts/findings.ts';
import type { ConclusionReason } from '../../prompts/wording.ts';
import type { CaveatCode, Failure } from '../../schema/common.ts';
import type { Execution } from '../../schema/execution.ts';
import type { MessageDraft } from '../../schema/message.ts';
import type { EventDraft } from '../../schema/timelineEvent.ts';
import { NO_WAITS, planWaits } from '../calls/planWaits.ts';
import type { RunContext } from '../context/features.ts';
import { storeCalls } from './storeCalls.ts';

/** Limit of the events of an answer, in UTF-8 bytes: they share a commit with its message. */
const EVENTS_BYTES = 400_000;

/** A model's answer and its meaning. */
interface Answer {
  /** The strategy's interpretation of the masked answer. */
  interpretation: Interpretation;
  /** The ended call, for its interaction record. */
  call: ModelCall;
}

/** The answered request. */
interface SentWith {
  /** Messages that were sent with the request and are not stored yet. */
  prelude: MessageDraft[];
  /** The stored messages before them. */
  conversation: ConversationMessage[];
  /** The tools that the request offered. */
  tools: ToolDefinition[];
}

/**
 * Stores an answer and its interpretation.
 * @param sent.prelude messages that were sent with the request and are not stored yet.
 * @param sent.conversation the messages before them.
 * @throws LeaseLostError when another writer changed the execution; nothing was written.
 */
export async function commitAnswer(
  context: RunContext,
  { interpretation, call }: Answer,
  { prelude, conversation, tools }: SentWith,
): Promise<void> {
  const { features } = context;
  const { events, message, next } = interpretation;
  // Calls whose plan cannot be read now stay requested, and `runTools` plans them again.
  const waits =
    next.kind === 'call_tools' ? await planWaits(context, next.calls, features.waits, 'keep') : NO_WAITS;
  await commitCall(context, (current, batch) => {
    for (const draft of [...prelude, message]) batch.appendMessage(draft);
    for (const event of fitEvents(events, EVENTS_BYTES)) batch.appendEvent(event);
    for (const notice of tierNotice(context.agent.model, call.report)) batch.appendEvent(notice);
    const answered = countAnswer(current, { interpretation, call }, context);
    const { budgetReached, limits } = answered;
    if (budgetReached !== null && current.budgetReached === null && next.kind !== 'conclude')
      batch.appendEvent(budgetNotice(budgetReached, limits));
    const applyNext = (): Execution => {
      switch (next.kind) {
        case 'conclude':
          return concludeExecution(
            answered,
            current,
            { events, analysis: next.analysis, outcome: call.outcome },
            batch,
          );
        case 'give_feedback':
          return giveFeedback(answered, next, canAskAgain(context, call, next), batch);
        case 'call_tools':
          return storeCalls(answered, { message, next }, { conversation, tools, waits, features }, batch);
      }
    };
    const execution = applyNext();
    const unusable: Failure | null =
      next.kind === 'give_feedback' ? { code: next.code, message: next.reason } : null;
    batch.writes.push(interactionWrite(current, context, call, { failure: unusable, events }));
    return execution;
  });
}

/** The execution with the counts of an answer. An unusable one still counts as a successful interaction. */
function countAnswer(
  current: Execution,
  { interpretation: { next }, call }: Answer,
  { agent }: Pick<RunContext, 'agent'>,
): Execution {
  return {
    ...current,
    ...afterCall(current, call, agent.model),
    toolCalls: current.toolCalls + (next.kind === 'call_tools' ? countCalls(next.calls) : 0),
    lastInteractionFailed: false,
    lastErrorMessage: null,
    consecutiveTimeouts: 0,
    outage: null,
  };
}

/** Ends the execution with its analysis. */
function concludeExecution(
  answered: Execution,
  before: Execution,
  {
    events,
    analysis,
    outcome,
  }: Pick<Interpretation, 'events'> & Pick<ModelCall, 'outcome'> & { analysis: string },
  batch: ExecutionBatch,
): Execution {
  const { content: finalAnalysis, truncated } = limitText(analysis, MAX_FINDINGS_BYTES);
  const caveats = caveatsOfAnswer(before, { events, outcome }, truncated);
  return closeExecution(
    { ...answered, caveats },
    { status: 'completed', failure: null, finalAnalysis },
    batch,
  );
}

type Feedback = Extract<Interpretation['next'], { kind: 'give_feedback' }>;

function canAskAgain({ controller }: RunContext, { mode }: ModelCall, { asksAgain }: Feedback): boolean {
  return mode !== 'conclude' && (controller.loops || asksAgain === true);
}

/** Explains to the model why its answer is unusable; ends the execution if it is not asked again. */
function giveFeedback(
  answered: Execution,
  { code, reason: content, messages }: Feedback,
  canAnswerAgain: boolean,
  batch: ExecutionBatch,
): Execution {
  if (!canAnswerAgain)
    return endWithFailure(answered, { status: 'failed', failure: { code, message: content } }, batch);
  batch.appendEvent({
    eventType: 'error',
    status: 'failed',
    content,
    metadata: { code, retryable: true, recoverable: true, iteration: answered.iteration },
  });
  for (const draft of messages) batch.appendMessage(draft);
  return finishIteration(answered, batch, { answeredNothing: code === 'MODEL_EMPTY_ANSWER' });
}

/** The caveat of a forced conclusion, by reason. Without reason, its tools were unreachable. */
const FORCED_BY: Record<ConclusionReason, CaveatCode> = {
  iterations_used: 'MAX_ITERATIONS',
  empty_answers: 'MODEL_EMPTY_ANSWER',
  time_outs: 'ITERATION_TIMEOUT',
  budget: 'BUDGET_REACHED',
  no_tools: 'TOOL_SERVER_UNAVAILABLE',
};

/**
 * Why the analysis of an answer is limited.
 * @param before the execution when its model was asked.
 * @param isCut whether the analysis was too long to be stored whole.
 */
function caveatsOfAnswer(
  before: Execution,
  { events, outcome }: { events: readonly EventDraft[] } & Pick<ModelCall, 'outcome'>,
  isCut: boolean,
): CaveatCode[] {
  const analysis = events.find((event) => event.eventType === 'final_analysis');
  const { forcedConclusion, truncated, outputFault } = analysis?.metadata ?? {};
  const isScripted = outcome.ok && isScriptForOthers(outcome.response.modelVersion);
  return [
    // Those from before the answer: a tool that its server does not have.
    ...before.caveats,
    ...(forcedConclusion ? [FORCED_BY[conclusionReason(before) ?? 'no_tools']] : []),
    ...(truncated ? ['MODEL_TRUNCATED' as const] : []),
    ...(isScripted ? ['SCRIPTED' as const] : []),
    ...(isCut ? ['DOCUMENT_TOO_LARGE' as const] : []),
    ...(outputFault === undefined ? [] : ['OUTPUT_INVALID' as const]),
  ];
}
