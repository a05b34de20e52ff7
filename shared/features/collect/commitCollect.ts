// The commit that starts the collected calls and reserves the numbers of their results, as for the calls of
// an answer. From then on they are ordinary pending calls.

import type { ToolCall, ToolDefinition } from '../../core/contract/tools.ts';
import { fitEvents } from '../../core/kernel/conversation/fitEvent.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import { commitBatch } from '../../core/kernel/execution/commitBatch.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { CollectFeature, StartCalls } from '../../core/kernel/feature/feature.ts';
import { appendMissingResult } from '../../core/kernel/state/callResult.ts';
import { appendCall, formatCall } from '../../core/kernel/tools/requestCall.ts';
import { CONTRAST_STRATEGY } from '../../core/schema/agent.ts';
import type { Execution, PendingCall } from '../../core/schema/execution.ts';
import { textMessage } from '../../core/schema/textMessage.ts';
import type { EventDraft } from '../../core/schema/timelineEvent.ts';
import { CALL_REASON, secretEvent } from '../../masking/answer/refuseSecrets.ts';
import { isLeakingCall } from '../../masking/answer/secretsInCalls.ts';
import { maskArguments } from '../../masking/maskData.ts';
import { collectedCallsPrompt, contrastCallsPrompt } from '../../prompt/collected.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { checkArguments } from '../../text/schema/checkArguments.ts';
import type { CollectPlan } from './collectCalls.ts';

/** Limit for the events of all calls, in UTF-8 bytes. */
const CALLS_BYTES = 300_000;

/**
 * Stores the possible calls as running or requested, and the others with a result that gives the reason. If
 * no call is left to run, the same commit ends the iteration. Calls for contrast are not counted as those of
 * the agent.
 * @throws LeaseLostError when another writer changed the execution; nothing was written.
 */
export async function commitCollect(
  context: IterationContext,
  { calls, leftOut, contrasts }: CollectPlan,
  { list, missing, isConnected }: Parameters<CollectFeature['commit']>[1],
  startCalls: StartCalls,
): Promise<ToolCall[]> {
  const { held, masker, dataNonce, deps, agent } = context;
  const tools = list();
  const isMissing = (server: string) => !isConnected || missing.some(({ name }) => name === server);
  const mask = (text: string) => masker.mask(text).text;
  const isContrast = contrasts !== undefined || agent.strategy === CONTRAST_STRATEGY;
  // This process can know more secrets than the alert's reader. Calls with a secret do not run.
  const shown = calls.map((call) => ({ ...call, arguments: maskArguments(call.arguments, mask) }));
  await deps.failpoint?.(CRASH_POINTS.beforeCommitA);
  await commitBatch(held, deps, (current, batch) => {
    for (const { tool, reason } of leftOut) batch.appendEvent(leftOutNotice(tool, reason));
    const stated = contrasts?.map((one, index) => ({
      ...one,
      arguments: shown[index]?.arguments ?? one.arguments,
    }));
    const text =
      stated === undefined ? collectedCallsPrompt(shown, dataNonce) : contrastCallsPrompt(stated, dataNonce);
    if (calls.length > 0) batch.appendMessage(textMessage('user', text));
    const events = fitEvents(shown.map(callEvent), CALLS_BYTES);
    const pendingCalls = calls.map((call, index): PendingCall => {
      const event = events[index] ?? callEvent(call);
      const pending = appendCall(call, index, tools, event, batch);
      const isLeaking = isLeakingCall(call, masker);
      if (isLeaking)
        batch.appendEvent(secretEvent(`${call.name} was not run: ${CALL_REASON}.`, current.iteration));
      const reason = isLeaking ? `${CALL_REASON}.` : explainSkippedCall(call, tools, isMissing, isContrast);
      if (reason === undefined) return pending;
      appendMissingResult(pending, `Not run: ${reason}`, 'failed', batch);
      return { ...pending, state: 'failed' };
    });
    const collecting: Execution = {
      ...current,
      toolCalls: current.toolCalls + (contrasts === undefined ? calls.length : 0),
      pendingCalls,
    };
    return startCalls(collecting, calls, batch);
  });
  await deps.failpoint?.(CRASH_POINTS.afterCommitA);
  return calls;
}

/**
 * Why a call is skipped. A tool that is not offered now never runs later, even if its server recovers: when
 * the call was stored, it was unknown whether the tool is read-only.
 */
function explainSkippedCall(
  { name, arguments: args }: ToolCall,
  tools: readonly ToolDefinition[],
  isMissing: (server: string) => boolean,
  isContrast: boolean,
): string | undefined {
  const tool = tools.find((one) => one.name === name);
  const [server = ''] = name.split('.');
  if (tool === undefined)
    return isMissing(server)
      ? `the tool server "${server}" cannot be reached.`
      : `${name} is not among the tools that can be used here.`;
  if (!tool.readOnly || tool.waits !== undefined)
    return `${name} can change something, and only read-only tools are called before an agent starts.`;
  if (tool.costs && isContrast) return `${name} costs, and is called by agents only.`;
  return checkArguments(tool.inputSchema, parseCallArguments(args));
}

function callEvent(call: ToolCall): EventDraft {
  const [server = ''] = call.name.split('.');
  const metadata = { toolName: call.name, callId: call.callId, arguments: call.arguments, server };
  return { eventType: 'mcp_tool_call', content: formatCall(call), metadata };
}

function leftOutNotice(tool: string, reason: string): EventDraft {
  return {
    eventType: 'notice',
    content: `${tool} was not called before the agent started: ${reason}.`,
    metadata: { code: 'collect_skipped', subject: tool },
  };
}
