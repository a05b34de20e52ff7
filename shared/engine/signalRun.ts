// Signals to a run: decisions of people, guidance, pauses, cancellation. Each is fenced and safe to repeat.

import { TerminalError } from '../core/errors.ts';
import type { AlertDeps } from '../core/kernel/deps.ts';
import { approvalType, paths } from '../core/schema/coreDocuments.ts';
import { cancelSession } from '../core/session/cancelSession.ts';
import { readApprovalId } from '../kits/approvals/approvalId.ts';
import { decideApproval } from '../kits/approvals/decideApproval.ts';
import { addGuidance, guidanceFault } from '../kits/steering/addGuidance.ts';
import { pauseSession, resumeSession } from '../kits/steering/pauseSession.ts';
import { readRun } from './followRun.ts';

/** A signal, with the name of the person or program that sends it, which is stored and shown. */
export type Signal = { by: string } & (
  | {
      /** The id of the approval to grant, as its event names it. */
      approve: string;
    }
  | {
      /** The id of the approval to deny. */
      deny: string;
      /** For the model and for readers. Default: none. */
      reason?: string;
    }
  | {
      /** Guidance for the agents of the run, at most 4,000 characters. */
      tell: string;
    }
  | { pause: true }
  | { resume: true }
  | {
      cancel: true;
      /** For readers. Default: none. */
      reason?: string;
    }
);

/**
 * The outcome of a signal: its kind, such as `decided`, `told`, `paused`, `resumed` or `cancelled`, or why it
 * changed nothing, such as `already_decided`, `expired`, `ended`, `not_running` or `already_ended`.
 */
export interface SignalOutcome {
  kind: string;
}

/**
 * Sends a signal.
 * @throws TerminalError `SESSION_UNKNOWN` for another run, `NOT_FOUND` for an approval that is not of this
 * run,
 *   `REQUEST_INVALID` for a text that cannot be given, `CONFIG_INVALID` for a decision without a key;
 *   RetryableError when the store or the publisher fails.
 */
export async function signalRun(id: string, signal: Signal, deps: AlertDeps): Promise<SignalOutcome> {
  const { by } = signal;
  if (by.trim() === '')
    throw new TerminalError('REQUEST_INVALID', 'by: is empty; name the person or program');
  await readRun(id, deps);
  if ('approve' in signal) return decide(id, signal.approve, { verdict: 'approved', by, reason: null }, deps);
  if ('deny' in signal)
    return decide(id, signal.deny, { verdict: 'denied', by, reason: signal.reason ?? null }, deps);
  if ('tell' in signal) {
    const fault = guidanceFault(signal.tell);
    if (fault !== undefined) throw new TerminalError('REQUEST_INVALID', `tell: ${fault}`);
    return toOutcome(await addGuidance(id, { text: signal.tell, by }, deps));
  }
  if ('pause' in signal) return toOutcome(await pauseSession(id, { by }, deps));
  if ('resume' in signal) return toOutcome(await resumeSession(id, { by }, deps));
  return toOutcome(await cancelSession(id, deps, { by, reason: signal.reason ?? null }));
}

async function decide(
  id: string,
  approval: string,
  decision: Parameters<typeof decideApproval>[1],
  deps: AlertDeps,
): Promise<SignalOutcome> {
  const approvalId = readApprovalId(approval);
  const stored = await deps.store.get(paths.approval(approvalId), approvalType);
  if (stored?.value.sessionId !== id)
    throw new TerminalError('NOT_FOUND', `run ${id} has no approval ${approvalId}`);
  return toOutcome(await decideApproval(approvalId, decision, deps));
}

const toOutcome = ({ kind }: { kind: string }): SignalOutcome => ({ kind });
