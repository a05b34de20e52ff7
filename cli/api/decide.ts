// Decides about a tool call that waits for approval.

import type { KnownOutcome } from '../../shared/kits/approvals/decideApproval.ts';
import type { AnswerOf } from '../../shared/lists/apiTypes.ts';
import { printableText } from '../process/output.ts';
import type { ApiClient } from './apiClient.ts';

type Approval = AnswerOf<'POST /v1/approvals/{approvalId}'>['approval'];

/** Approves or denies a tool call, and returns it. @throws Error for another earlier decision. */
export async function decideCall(
  api: ApiClient,
  approvalId: string,
  { verdict, reason }: { verdict: 'approved' | 'denied'; reason?: string | undefined },
): Promise<Approval> {
  const body = { verdict, reason };
  const { outcome, approval } = await api.post('/v1/approvals/{approvalId}', { approvalId }, body);
  // An earlier attempt can have stored the same decision while its response was lost.
  const isWanted =
    outcome === 'decided' ||
    (outcome === 'already_decided' &&
      approval.status === verdict &&
      approval.decidedBy === (await api.get('/v1/me')).name);
  if (!isWanted) throw new Error(withoutEffect(outcome, approval));
  return approval;
}

/** The reason why a decision had no effect. */
function withoutEffect(outcome: KnownOutcome['kind'], approval: Approval): string {
  const { approvalId, status, decidedBy, decidedAt, until, sessionId } = approval;
  switch (outcome) {
    case 'decided':
    case 'already_decided':
      return `${approvalId} was already decided by ${printableText(decidedBy ?? 'unknown')}: ${status} at ${decidedAt}`;
    case 'expired':
      return `${approvalId} expired at ${until} without a decision, which counts as denied`;
    case 'ended':
      return `${approvalId} has ended: the investigation ${sessionId} ended, or was cancelled, before a decision`;
  }
}
