// A call's result in its reserved places: the event people read, the message the model reads.

import type { ToolResult } from '../../contract/tools.ts';
import type { PendingCall } from '../../schema/execution.ts';
import type { EventStatus } from '../../schema/timelineEvent.ts';
import type { Entries } from './entries.ts';

/** Appends the result of a call that ran. */
export function appendResult(pending: PendingCall, result: ToolResult, entries: Entries): void {
  const status = result.timedOut ? 'timed_out' : result.isError ? 'failed' : 'completed';
  append(pending, result, status, result.durationMs, entries);
}

/** Appends a result for a call that did not run, or whose outcome is unknown. */
export function appendMissingResult(
  pending: PendingCall,
  content: string,
  status: EventStatus,
  entries: Entries,
): void {
  append(pending, failedResult(pending, content), status, null, entries);
}

/** An error in the form of a result. */
export function failedResult(pending: PendingCall, content: string, durationMs = 0): ToolResult {
  const { callId, name } = pending;
  return { callId, name, content, isError: true, truncated: false, durationMs, timedOut: false };
}

/** The message is the same for every strategy, which shows it to the model as it likes. */
function append(
  { name, callId, resultEvent, resultMessage }: PendingCall,
  { content, isError, truncated }: ToolResult,
  status: EventStatus,
  durationMs: number | null,
  entries: Entries,
): void {
  entries.event(
    {
      eventType: 'tool_result',
      status,
      content: content || '(no output)',
      metadata: { toolName: name, callId, isError, truncated, durationMs },
    },
    resultEvent,
  );
  entries.message(
    {
      role: 'tool',
      blocks: [
        { blockType: 'tool_result', toolUseId: callId, toolName: name, isError, textContent: content },
      ],
    },
    resultMessage,
  );
}
