// The model's part of an iteration: ask, understand, and store what came of it.

import type { TurnMode } from '../../contract/controller.ts';
import type { ConversationMessage, LlmResponse } from '../../contract/llm.ts';
import type { ToolCall, ToolDefinition } from '../../contract/tools.ts';
import { controllerFor } from '../../controller/registry.ts';
import { readGroundings } from '../../llm/gemini/grounding.ts';
import { forcedConclusionPrompt } from '../../prompt/investigation.ts';
import type { Execution } from '../../schema/execution.ts';
import type { MessageDraft } from '../../schema/message.ts';
import { textMessage } from '../../schema/textMessage.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { RuntimeDeps } from '../deps.ts';
import type { Budget } from './budget.ts';
import { commitAnswer } from './commitAnswer.ts';
import { failIteration } from './failIteration.ts';
import type { HeldExecution } from './lease.ts';
import { callModel } from './modelCall.ts';

/**
 * Asks the model once and commits an answer, a final analysis, or a failure the model is told about.
 * @returns the calls to run; none when the iteration is over.
 * @throws LeaseLostError when the execution changed meanwhile; nothing was written then.
 */
export async function askModel(
  held: HeldExecution,
  conversation: ConversationMessage[],
  tools: ToolDefinition[],
  mode: TurnMode,
  budget: Budget,
  deps: RuntimeDeps,
): Promise<ToolCall[]> {
  const execution = held.current();
  const controller = controllerFor(execution.agent.strategy);
  const turn = { execution, tools, mode };
  const prelude: MessageDraft[] =
    mode === 'conclude'
      ? [textMessage('user', forcedConclusionPrompt(execution.agent.limits.maxIterations))]
      : [];

  const request = controller.request([...conversation, ...prelude], turn);
  held.check();
  const call = await callModel(request, mode, budget, deps);
  if (held.signal.aborted) throw held.signal.reason;
  await deps.reach?.(CRASH_POINTS.beforeCommitA);
  if (!call.outcome.ok) {
    await failIteration(held, call.outcome.error, deps, call, prelude);
    return [];
  }
  const { response } = call.outcome;
  warnOfNativeTools(execution, response, deps);
  const interpretation = controller.interpret(response, turn);
  await commitAnswer(held, { interpretation, call }, { prelude, tools }, deps);
  if (interpretation.next.kind === 'call_tools') await deps.reach?.(CRASH_POINTS.afterCommitA);
  return interpretation.next.kind === 'call_tools' ? interpretation.next.calls : [];
}

/** ReAct binds no native tools; what turns up all the same is told in the log only (seed: native tool events, Q7). */
function warnOfNativeTools(
  { sessionId, executionId, iteration, agent }: Execution,
  response: LlmResponse,
  deps: RuntimeDeps,
): void {
  const codeExecutions = response.codeExecutions?.length ?? 0;
  const groundings = readGroundings(response).length;
  if (agent.strategy !== 'react' || codeExecutions + groundings === 0) return;
  const fields = { sessionId, executionId, iteration, codeExecutions, groundings };
  deps.log.warn(fields, 'a ReAct answer holds results of native tools; they are not told in the timeline');
}
