// The model's part of an iteration: ask, understand, and store what came of it.

import type { TurnMode } from '../../contract/controller.ts';
import type { ConversationMessage, LlmResponse } from '../../contract/llm.ts';
import type { ToolCall, ToolDefinition } from '../../contract/tools.ts';
import { textMessage } from '../../controller/drafts.ts';
import { readGroundings } from '../../llm/gemini/grounding.ts';
import { forcedConclusionPrompt } from '../../prompt/investigation.ts';
import type { MessageDraft } from '../../schema/message.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import { commitAnswer } from './commitAnswer.ts';
import type { IterationContext } from './context.ts';
import { failIteration } from './failIteration.ts';
import { callModel } from './modelCall.ts';

/**
 * Asks the model once and commits an answer, a final analysis, or a failure the model is told about.
 * @returns the calls to run; none when the iteration is over.
 * @throws LeaseLostError when the execution changed meanwhile; nothing was written then.
 */
export async function askModel(
  context: IterationContext,
  conversation: ConversationMessage[],
  tools: ToolDefinition[],
  mode: TurnMode,
): Promise<ToolCall[]> {
  const { held, agent, controller, deps } = context;
  const execution = held.current();
  const turn = { execution, agent, tools, mode };
  const prelude: MessageDraft[] =
    mode === 'conclude' ? [textMessage('user', forcedConclusionPrompt(execution.limits.maxIterations))] : [];

  const request = controller.request([...conversation, ...prelude], turn);
  held.check();
  const call = await callModel(request, mode, context);
  if (held.signal.aborted) throw held.signal.reason;
  await deps.reach?.(CRASH_POINTS.beforeCommitA);
  if (!call.outcome.ok) {
    await failIteration(context, call.outcome.error, call, prelude);
    return [];
  }
  const { response } = call.outcome;
  warnOfNativeTools(context, response);
  const interpretation = controller.interpret(response, turn);
  await commitAnswer(context, { interpretation, call }, { prelude, tools });
  if (interpretation.next.kind === 'call_tools') await deps.reach?.(CRASH_POINTS.afterCommitA);
  return interpretation.next.kind === 'call_tools' ? interpretation.next.calls : [];
}

/** A strategy without native tools makes no events of them; what turns up all the same is in the log (seed 001, Q7). */
function warnOfNativeTools({ held, controller, deps }: IterationContext, response: LlmResponse): void {
  const codeExecutions = response.codeExecutions?.length ?? 0;
  const groundings = readGroundings(response).length;
  const tellsThem = controller.abilities.nativeTools || !controller.abilities.tools;
  if (tellsThem || codeExecutions + groundings === 0) return;
  const { sessionId, executionId, iteration } = held.current();
  const fields = { sessionId, executionId, iteration, codeExecutions, groundings };
  deps.log.warn(fields, 'a ReAct answer holds results of native tools; they are not in the timeline');
}
