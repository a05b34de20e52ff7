// The model call of an iteration: asks the model, interprets the answer and commits the result.

import type { Interpretation, Turn } from '../../contract/controller.ts';
import type { ConversationMessage, LlmResponse } from '../../contract/llm.ts';
import type { ToolCall } from '../../contract/tools.ts';
import { MARK_START } from '../../masking/marks.ts';
import { type ConclusionReason, forcedConclusionPrompt } from '../../prompt/investigation.ts';
import type { Execution } from '../../schema/execution.ts';
import type { MessageDraft } from '../../schema/message.ts';
import { textMessage } from '../../schema/textMessage.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import { failedResult } from './callResult.ts';
import { commitAnswer } from './commitAnswer.ts';
import type { IterationContext } from './context.ts';
import { failIteration } from './failIteration.ts';
import { fitConversation } from './fitConversation.ts';
import { framedResults } from './framedResults.ts';
import { maskAnswer } from './maskAnswer.ts';
import { callModel, type ModelCall } from './modelCall.ts';
import { showNativeTools } from './nativeToolRecord.ts';
import type { PinnedExecutor } from './pinTools.ts';
import { shownTexts } from './shownTexts.ts';

/**
 * Asks the model once and commits its answer, its final analysis, or the failure of the call.
 * @param conclusion why this is the forced conclusion; undefined for an ordinary turn.
 * @returns the calls to run; none when the iteration is over.
 * @throws LeaseLostError when another writer changed the execution; nothing was written then.
 */
export async function askModel(
  context: IterationContext,
  conversation: ConversationMessage[],
  executor: Pick<PinnedExecutor, 'list' | 'changes'>,
  conclusion: ConclusionReason | undefined,
): Promise<ToolCall[]> {
  const { held, agent, dataNonce, masker, controller, deps } = context;
  const execution = held.current();
  const mode = conclusion === undefined ? 'investigate' : 'conclude';
  const tools = executor.list();
  const shown = shownTexts(conversation, tools);
  const turn: Turn = { execution, agent, tools, changedTools: executor.changes, shown, mode };
  const { maxIterations } = execution.limits;
  const prelude: MessageDraft[] =
    conclusion === undefined ? [] : [textMessage('user', forcedConclusionPrompt(conclusion, maxIterations))];

  const repeated = fitConversation(conversation, execution.limits.conversationBytes);
  const history = framedResults(withRefusals(repeated, execution.signaturesRefusedUpTo), dataNonce);
  const request = controller.request([...history, ...prelude], turn);
  held.check();
  const lastMessage = execution.lastMessage + prelude.length;
  const call = await callModel(request, { mode, lastMessage }, context);
  if (held.signal.aborted) throw held.signal.reason;
  await deps.failpoint?.(CRASH_POINTS.beforeCommitA);
  if (!call.outcome.ok) {
    await failIteration(context, call.outcome.error, call, prelude);
    return [];
  }
  const response = maskAnswer(call.outcome.response, masker);
  const interpretation = withoutTaintedCalls(controller.interpret(response, turn), execution);
  warnAboutNativeTools(context, response, interpretation);
  const masked: ModelCall = { ...call, outcome: { ok: true, response } };
  await commitAnswer(context, { interpretation, call: masked }, { prelude, conversation, tools });
  if (interpretation.next.kind === 'call_tools') await deps.failpoint?.(CRASH_POINTS.afterCommitA);
  return interpretation.next.kind === 'call_tools' ? interpretation.next.calls : [];
}

/** The conversation, with its first `count` messages marked as those whose signatures were refused. */
function withRefusals(conversation: ConversationMessage[], count: number): ConversationMessage[] {
  return conversation.map((message, index) =>
    index < count ? { ...message, signaturesRefused: true } : message,
  );
}

/** The meaning of an answer without the calls that would carry a secret, or the mark of one, out of the conversation. */
function withoutTaintedCalls(interpretation: Interpretation, execution: Execution): Interpretation {
  const { next, events } = interpretation;
  if (next.kind !== 'call_tools') return interpretation;
  const tainted = next.calls.filter((call) => call.arguments.includes(MARK_START));
  if (tainted.length === 0) return interpretation;
  const reason = 'the arguments hold a secret, or the mark of one, and secrets leave no investigation';
  const errors = tainted.map(({ name }) => ({
    eventType: 'error' as const,
    status: 'failed' as const,
    content: `${name} was not run: ${reason}.`,
    metadata: {
      code: 'TAINT_BLOCKED' as const,
      retryable: false,
      recoverable: true,
      iteration: execution.iteration,
    },
  }));
  const results = tainted.map((call) =>
    failedResult(call, `Not run: ${reason}. Call it without, or conclude.`),
  );
  return {
    ...interpretation,
    events: [...events, ...errors],
    next: { ...next, knownResults: [...(next.knownResults ?? []), ...results] },
  };
}

/** Logs results of native tools that the strategy turns into no event; beside the log only the interaction has them. */
function warnAboutNativeTools(
  { held, agent, deps }: IterationContext,
  { codeExecutions, groundings }: LlmResponse,
  { events }: Interpretation,
): void {
  if (codeExecutions.length + groundings.length === 0) return;
  if (showNativeTools(events)) return;
  const { sessionId, executionId, iteration } = held.current();
  const counts = { codeExecutions: codeExecutions.length, groundings: groundings.length };
  deps.log.warn(
    { sessionId, executionId, iteration, strategy: agent.strategy, ...counts },
    'an answer holds results of native tools that its strategy does not show; they are not in the timeline',
  );
}
