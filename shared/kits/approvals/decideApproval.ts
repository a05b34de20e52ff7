// Stores a person's decision about a call in one batch, fenced by the execution. If decisions, a time-out, a
// cancellation or a deadline race, exactly one is stored; the others get the stored outcome.

import { SIGNING_KEY } from '../../core/contract/signatures.ts';
import { replaceDocument, type Stored } from '../../core/contract/store.ts';
import { TerminalError } from '../../core/errors.ts';
import { type ExecutionBatch, startBatch } from '../../core/kernel/conversation/executionBatch.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { AlertDeps, StateDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { callsForPeople } from '../../core/kernel/execution/closeApprovals.ts';
import {
  ignoreRecentPublication,
  isUnclaimed,
  publishAgain,
} from '../../core/kernel/execution/publishAgain.ts';
import { appendMissingResult } from '../../core/kernel/state/callResult.ts';
import { continueUnheld } from '../../core/kernel/state/continueUnheld.ts';
import { settleCall } from '../../core/kernel/state/pendingCalls.ts';
import { replaceExecution, withDue } from '../../core/kernel/state/replaceExecution.ts';
import { readSystemControl } from '../../core/kernel/systemPause.ts';
import type { Approval } from '../../core/schema/approval.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { approvalType, executionType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Execution, PendingCall } from '../../core/schema/execution.ts';
import type { Session } from '../../core/schema/session.ts';
import { publishOrAdvance } from '../../core/stage/publishOrAdvance.ts';
import { settleWaits } from '../../core/stage/settleWaits.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { decisionStatement } from './decisionStatement.ts';

/** A person's decision. */
export interface ApprovalDecision {
  /** `approved` runs the call; `denied` gives the model the reason as its result. */
  verdict: 'approved' | 'denied';
  /** Name of the decider; stored and shown. */
  by: string;
  /** The reason, for the model and for readers; null if none is given. */
  reason: string | null;
}

/** Outcome of a decision about an existing approval. Only `decided` changes stored decisions. */
export interface KnownOutcome {
  /**
   * `expired`: the approval timed out, which counts as denied. `ended`: its execution has ended or is being
   * cancelled.
   */
  kind: 'decided' | 'already_decided' | 'expired' | 'ended';
  /** The stored approval, with this decision or the earlier one. */
  approval: Approval;
}

/** Outcome of a decision. */
export type ApprovalOutcome = KnownOutcome | { kind: 'unknown' };

/**
 * Stores a decision with its name and reason masked, and publishes the messages that follow. Safe to repeat:
 * a repeated call also publishes messages that the process that stored an earlier decision might not have
 * published.
 * @throws RetryableError when other writers keep changing the execution, or the store or the publisher fails;
 *   TerminalError for a broken document, and `CONFIG_INVALID` without a key for signatures.
 */
export function decideApproval(
  approvalId: string,
  decision: ApprovalDecision,
  deps: AlertDeps,
): Promise<ApprovalOutcome> {
  return retryLostRaces<ApprovalOutcome>(`approval ${approvalId}`, SESSION_RACES, async () => {
    const stored = await deps.store.get(paths.approval(approvalId), approvalType);
    if (stored === undefined) return { kind: 'unknown' };
    const { sessionId, executionId } = stored.value;
    const [execution, session, { pause }] = await Promise.all([
      deps.store.get(paths.execution(sessionId, executionId), executionType),
      deps.store.get(paths.session(sessionId), sessionType),
      readSystemControl(deps),
    ]);
    await deps.failpoint?.(CRASH_POINTS.afterLoad);
    const now = deps.clock.now();
    // No approval expires during a pause of the installation; its end extends the time.
    const state = decideApprovalState(stored.value, execution?.value, session?.value, pause?.at ?? now);
    switch (state.kind) {
      case 'changed':
        return RACE_LOST;
      case 'overdue':
        await settleWaits({ sessionId, executionId }, deps).catch(ignoreRecentPublication);
        // Another process with a different clock might have decided in time: the stored outcome counts.
        return RACE_LOST;
      case 'already_decided':
      case 'expired':
        if (execution !== undefined) await publishUnclaimed(execution, deps);
        return { ...state, approval: stored.value };
      case 'ended': {
        // The session can be read after a decision that the approval, as read, does not have yet.
        const latest = await deps.store.get(stored.path, approvalType);
        if (latest?.version !== stored.version) return RACE_LOST;
        return { ...state, approval: { ...stored.value, status: 'ended' } };
      }
      case 'waits': {
        if (execution === undefined || session === undefined) return RACE_LOST;
        const masked = maskDecision(decision, session.value, deps);
        const approval = await commitDecision({ stored, execution, call: state.call }, masked, now, deps);
        return approval === undefined ? RACE_LOST : { kind: 'decided', approval };
      }
    }
  });
}

type ApprovalState =
  | { kind: 'waits'; call: PendingCall }
  | { kind: 'already_decided' | 'expired' | 'ended' }
  /** It timed out, and the time-out is not stored yet. */
  | { kind: 'overdue' }
  /** Execution and approval were read before and after a commit, and do not match. */
  | { kind: 'changed' };

/** Decides from state only. The execution and session are undefined if they were deleted. */
export function decideApprovalState(
  approval: Approval,
  execution: Execution | undefined,
  session: Session | undefined,
  now: Date,
): ApprovalState {
  if (approval.status === 'approved' || approval.status === 'denied') return { kind: 'already_decided' };
  if (approval.status !== 'pending') return { kind: approval.status };
  if (execution === undefined || session === undefined) return { kind: 'ended' };
  // The commit that ends a wait changes both documents in one batch.
  const call = callsForPeople(execution).find(({ waitsFor }) => waitsFor?.id === approval.approvalId);
  if (call?.waitsFor === undefined) return { kind: 'changed' };
  if (isClosed(session, execution)) return { kind: 'ended' };
  return now < call.waitsFor.until ? { kind: 'waits', call } : { kind: 'overdue' };
}

/** Whether an execution must start nothing more: its session or stage ended, or is being cancelled. */
function isClosed({ status, openStage }: Session, { stageId }: Execution): boolean {
  if (openStage?.stageId === stageId) return openStage.cancelling;
  return status === 'cancelling' || isTerminal(status);
}

/** Masks the input of the person: it is stored, printed, and read by the model. */
function maskDecision(
  { verdict, by, reason }: ApprovalDecision,
  { maskKey }: Session,
  { maskerFor }: AlertDeps,
): ApprovalDecision {
  const mask = (text: string): string => cleanText(maskerFor(maskKey), text).text;
  return { verdict, by: mask(by), reason: reason === null ? null : mask(reason) };
}

/** Stores the decision and its consequences; undefined if another writer won the race. */
async function commitDecision(
  found: { stored: Stored<Approval>; execution: Stored<Execution>; call: PendingCall },
  decision: ApprovalDecision,
  now: Date,
  deps: Pick<AlertDeps, 'sign'> & StateDeps,
): Promise<Approval | undefined> {
  const { stored, call } = found;
  if (deps.sign === undefined) throw new TerminalError('CONFIG_INVALID', NO_KEY);
  const { verdict, by } = decision;
  const { approvalId, toolName, arguments: args } = stored.value;
  const signed = decisionStatement({ approvalId, toolName, arguments: args, verdict, by, at: now });
  const approval: Approval = {
    ...stored.value,
    status: decision.verdict,
    decidedBy: decision.by,
    decidedAt: now,
    signature: await deps.sign(signed),
    reason: decision.reason,
  };
  const batch = startBatch(found.execution.value, now);
  appendDecision(call, decision, batch);
  const decided =
    decision.verdict === 'approved'
      ? approveCall(found.execution.value, call, { by: decision.by, at: now })
      : denyCall(found.execution.value, call, decision, batch);
  const execution = withDue(continueUnheld(decided, batch), now);
  const writes = [...batch.writes, replaceDocument(stored.path, approvalType, approval, stored.version)];
  const change = { before: { approvals: [stored.value] }, after: { approvals: [approval] } };
  const written = await replaceExecution(execution, found.execution.version, writes, deps, change);
  if (!written.ok) return undefined;
  await publishOrAdvance(execution, deps).catch(ignoreRecentPublication);
  // Two simultaneous denials give the same execution: the approval records the stored one.
  const kept = await deps.store.get(stored.path, approvalType);
  const isOwn =
    kept === undefined || (kept.value.decidedBy === decision.by && kept.value.status === decision.verdict);
  return isOwn ? approval : undefined;
}

const NO_KEY = `decisions cannot be signed: ${SIGNING_KEY} is not set (docs/security.md)`;

function approveCall(
  execution: Execution,
  { index }: PendingCall,
  approval: PendingCall['approval'],
): Execution {
  const pendingCalls = execution.pendingCalls.map((call) =>
    call.index === index ? { ...call, state: 'requested' as const, approval } : call,
  );
  return { ...execution, pendingCalls };
}

/** Treats a denial as an answer: the call gets its result, and the iteration does not fail. */
function denyCall(
  execution: Execution,
  call: PendingCall,
  { by, reason }: ApprovalDecision,
  batch: ExecutionBatch,
): Execution {
  const why = reason === null ? '' : ` The reason: ${reason}`;
  const feedback = `Not run: ${by} denied ${call.name}.${why} Do not call it like this again; go on without it, or conclude.`;
  appendMissingResult(call, feedback, 'failed', batch);
  return settleCall(execution, call.index, 'done');
}

function appendDecision(
  { name, waitsFor }: PendingCall,
  { verdict, by, reason }: ApprovalDecision,
  batch: ExecutionBatch,
): void {
  batch.appendEvent({
    eventType: 'notice',
    content: `${by} ${verdict} ${name}.${reason === null ? '' : ` Reason: ${reason}`}`,
    metadata: {
      code: 'approval_decided',
      subject: name,
      ...(waitsFor !== undefined && { approvalId: waitsFor.id }),
    },
  });
}

/** Publishes a continued execution's message, in case its process died before it could. */
async function publishUnclaimed(execution: Stored<Execution>, deps: StateDeps): Promise<void> {
  if (isUnclaimed(execution.value)) await publishAgain(execution, deps).catch(ignoreRecentPublication);
}
