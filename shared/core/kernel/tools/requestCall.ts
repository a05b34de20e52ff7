// Stores a requested call: its event, and the numbers of its result.

import { isObject, parseJson } from '../../../text/json.ts';
import type { ToolCall, ToolDefinition } from '../../contract/tools.ts';
import type { PendingCall } from '../../schema/execution.ts';
import type { EventDraft } from '../../schema/timelineEvent.ts';
import type { ExecutionBatch } from '../conversation/executionBatch.ts';
import { toolDigest } from './toolDigest.ts';

/**
 * Appends the call and reserves the numbers of its result. A call of an unknown tool has no effect, so it can
 * be repeated.
 * @param ids ids that were reserved for the call.
 */
export function appendCall(
  call: ToolCall,
  index: number,
  tools: ToolDefinition[],
  event: EventDraft,
  batch: ExecutionBatch,
  ids: Pick<PendingCall, 'childExecutionId'> = {},
): PendingCall {
  batch.appendEvent(event);
  const tool = tools.find(({ name }) => name === call.name);
  return {
    index,
    callId: call.callId,
    name: call.name,
    readOnly: tool?.readOnly ?? true,
    state: 'requested',
    ...(tool?.waits !== undefined && { waits: tool.waits }),
    ...ids,
    ...(tool?.waits === 'person' && {
      toolDigest: toolDigest(tool),
      ...(tool.bound !== undefined && { bound: tool.bound }),
    }),
    ...(tool?.recovery !== undefined && { recovery: tool.recovery }),
    resultEvent: batch.reserveEvent(),
    resultMessage: batch.reserveMessage(),
  };
}

/** The call as readable text: `server.tool(name: value, …)`. */
export function formatCall(call: ToolCall): string {
  const parsed = parseJson(call.arguments);
  if (!isObject(parsed)) return `${call.name}(${call.arguments})`;
  const parameters = Object.entries(parsed).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `${call.name}(${parameters.join(', ')})`;
}
