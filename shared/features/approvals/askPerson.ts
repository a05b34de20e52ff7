// Requests a person's approval: the call waits, the batch stores an approval document and an event.

import { createDocument } from '../../core/contract/store.ts';
import type { ToolCall } from '../../core/contract/tools.ts';
import type { ExecutionBatch } from '../../core/kernel/conversation/executionBatch.ts';
import { appendMissingResult } from '../../core/kernel/state/callResult.ts';
import { deadlineBelow } from '../../core/kernel/state/extendExecution.ts';
import { settleCall } from '../../core/kernel/state/pendingCalls.ts';
import type { Approval } from '../../core/schema/approval.ts';
import { approvalType, paths } from '../../core/schema/coreDocuments.ts';
import type { Execution, PendingCall } from '../../core/schema/execution.ts';
import { deriveApprovalId } from '../../kits/approvals/approvalId.ts';
import { parseCallArguments } from '../../text/callArguments.ts';

/** How long a person has to decide, unless the session ends earlier. */
const APPROVAL_TIMEOUT_MS = 15 * 60_000;
/** With less time than this, the call fails without a request for approval. */
const SHORTEST_WAIT_MS = 30_000;
/** Limit for the arguments, in UTF-8 bytes. People do not read more before a decision. */
const MAX_ARGUMENTS_BYTES = 16_000;

/**
 * Returns the execution with the call waiting for a person. If too little time is left, or the arguments
 * exceed the limit, the call gets an error as its result.
 * @param call the call as stored with the answer, so that the person sees exactly the call that will run.
 */
export function askPerson(
  execution: Execution,
  pending: PendingCall,
  call: ToolCall,
  batch: ExecutionBatch,
): Execution {
  const { now } = batch;
  const left = deadlineBelow(execution.deadline).getTime() - now.getTime();
  const args = shownArguments(call, pending);
  const bytes = Buffer.byteLength(args);
  if (left < SHORTEST_WAIT_MS) {
    const reason = 'it needs approval, and too little time is left to ask for it';
    return refuseCall(execution, pending, reason, batch);
  }
  if (bytes > MAX_ARGUMENTS_BYTES) {
    const reason = `it needs approval, and its arguments have ${bytes} bytes; a person is shown ${MAX_ARGUMENTS_BYTES} at most`;
    return refuseCall(execution, pending, reason, batch);
  }
  const { sessionId, executionId, agentName, expireAt } = execution;
  const until = new Date(now.getTime() + Math.min(left, APPROVAL_TIMEOUT_MS));
  const approvalId = deriveApprovalId(execution, pending.index);
  const approval: Approval = {
    approvalId,
    sessionId,
    executionId,
    agentName,
    callId: pending.callId,
    toolName: pending.name,
    arguments: args,
    status: 'pending',
    until,
    decidedBy: null,
    decidedAt: null,
    signature: null,
    reason: null,
    expireAt,
    createdAt: now,
  };
  batch.writes.push(createDocument(paths.approval(approvalId), approvalType, approval));
  batch.after.approvals.push(approval);
  batch.appendEvent({
    eventType: 'notice',
    content: `${pending.name} waits for approval until ${until.toISOString()}. Arguments: ${args || 'none'}`,
    metadata: { code: 'approval_requested', subject: pending.name, approvalId },
  });
  const waiting = { state: 'waiting' as const, waitsFor: { kind: 'person' as const, id: approvalId, until } };
  return {
    ...execution,
    pendingCalls: execution.pendingCalls.map((one) =>
      one.index === pending.index ? { ...one, ...waiting } : one,
    ),
  };
}

/** The arguments of a call, as JSON text: the model's, and those that the configuration sets. */
export function shownArguments(
  { arguments: text }: Pick<ToolCall, 'arguments'>,
  { bound }: Pick<PendingCall, 'bound'>,
): string {
  return bound === undefined ? text : JSON.stringify({ ...parseCallArguments(text), ...bound });
}

function refuseCall(
  execution: Execution,
  pending: PendingCall,
  reason: string,
  batch: ExecutionBatch,
): Execution {
  const message = `${pending.name} was not run: ${reason}.`;
  appendMissingResult(pending, message, 'failed', batch);
  return settleCall(execution, pending.index, 'failed', { message });
}
