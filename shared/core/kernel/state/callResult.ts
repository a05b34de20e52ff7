// Stores a call's result under its reserved numbers: the event for readers, the message for the model.

import type { ToolCall, ToolResult } from '../../contract/tools.ts';
import type { PendingCall } from '../../schema/execution.ts';
import type { StoredResult } from '../../schema/storedResult.ts';
import type { EventStatus } from '../../schema/timelineEvent.ts';
import type { ExecutionBatch } from '../conversation/executionBatch.ts';

/** A result in its stored form, for readers and for the model. */
export interface ShownResult extends ToolResult {
  /** Location of the whole result, if `content` is a part of it. */
  stored?: StoredResult;
  /** The content for the model, if it differs from `content`. */
  modelContent?: string;
}

/** Appends the result of a call that ran. */
export function appendResult(pending: PendingCall, result: ShownResult, batch: ExecutionBatch): void {
  for (const event of result.events ?? []) batch.appendEvent(event);
  const status = result.timedOut ? 'timed_out' : result.isError ? 'failed' : 'completed';
  // A call of a tool that does not exist reaches no server.
  appendEventAndMessage(pending, result, status, result.unknownTool ? null : result.durationMs, batch);
}

/** Appends a result for a call that did not run, or did not finish. */
export function appendMissingResult(
  pending: PendingCall,
  content: string,
  status: EventStatus,
  batch: ExecutionBatch,
  outcome?: 'unknown',
): void {
  appendEventAndMessage(pending, failedResult(pending, content), status, null, batch, outcome);
}

/** Appends a result for an interrupted call that is not repeated: its effect is unknown. */
export function appendUnknownResult(pending: PendingCall, content: string, batch: ExecutionBatch): void {
  appendMissingResult(pending, content, 'failed', batch, 'unknown');
}

/** The result of a call that no tool answered. `durationMs` is in milliseconds. */
export function failedResult(
  { callId, name }: Pick<ToolCall, 'callId' | 'name'>,
  content: string,
  durationMs = 0,
): ToolResult {
  return {
    callId,
    name,
    content,
    isError: true,
    truncated: false,
    durationMs,
    timedOut: false,
    noAnswer: true,
  };
}

/** The message is the same for every strategy; a strategy renders it when it asks the model. */
function appendEventAndMessage(
  { name, callId, resultEvent, resultMessage, childExecutionId }: PendingCall,
  {
    content,
    isError,
    truncated,
    timedOut,
    noAnswer,
    masked,
    stored,
    modelContent,
    yields,
    fields,
  }: ShownResult,
  status: EventStatus,
  durationMs: number | null,
  batch: ExecutionBatch,
  outcome?: 'unknown',
): void {
  batch.appendEvent(
    {
      eventType: 'tool_result',
      status,
      content: content || '(no output)',
      metadata: {
        toolName: name,
        callId,
        isError,
        truncated,
        durationMs,
        ...(masked !== undefined && { masked }),
        ...(outcome && { outcome }),
        ...(childExecutionId && { childExecutionId }),
        ...(stored && { stored }),
      },
    },
    resultEvent,
  );
  batch.appendMessage(
    {
      role: 'tool',
      blocks: [
        {
          blockType: 'tool_result',
          toolUseId: callId,
          toolName: name,
          isError,
          textContent: modelContent ?? content,
          ...(stored && { stored }),
          ...(yields && { yields }),
          ...(fields && { fields }),
          ...((timedOut || noAnswer) && { noAnswer: true }),
        },
      ],
    },
    resultMessage,
  );
}
