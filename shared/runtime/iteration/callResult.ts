// A call's result in its reserved places: the event people read, the message the model reads.

import type { ToolCall, ToolResult } from '../../contract/tools.ts';
import { controllerFor } from '../../controller/registry.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import type { EventStatus } from '../../schema/timelineEvent.ts';
import type { Entries } from './entries.ts';

/** Adds the result of a call that ran. */
export function tellResult(
  execution: Execution,
  pending: PendingCall,
  call: ToolCall,
  result: ToolResult,
  entries: Entries,
): void {
  const status = result.timedOut ? 'timed_out' : result.isError ? 'failed' : 'completed';
  add(execution, pending, call, result, status, result.durationMs, entries);
}

/** Adds a result for a call that did not run, or of which nobody knows how it ended. */
export function tellNoResult(
  execution: Execution,
  pending: PendingCall,
  content: string,
  status: EventStatus,
  entries: Entries,
): void {
  // Whatever its arguments were, nobody will look at them again.
  const call = { callId: pending.callId, name: pending.name, arguments: '{}' };
  add(execution, pending, call, { ...failedResult(pending, content) }, status, null, entries);
}

/** An error in the form of a result. */
export function failedResult(pending: PendingCall, content: string, durationMs = 0): ToolResult {
  const { callId, name } = pending;
  return { callId, name, content, isError: true, truncated: false, durationMs, timedOut: false };
}

function add(
  execution: Execution,
  pending: PendingCall,
  call: ToolCall,
  result: ToolResult,
  status: EventStatus,
  durationMs: number | null,
  entries: Entries,
): void {
  entries.event(
    {
      eventType: 'tool_result',
      status,
      content: result.content || '(no output)',
      metadata: {
        toolName: pending.name,
        callId: pending.callId,
        isError: result.isError,
        truncated: result.truncated,
        durationMs,
      },
    },
    pending.resultEvent,
  );
  const controller = controllerFor(execution.agent.strategy);
  entries.message(controller.observe(call, result), pending.resultMessage);
}
