// Decides an approval by a press of a button. Stored documents check everything in the press.

import type { ChatPerson, DeliveryFailure } from '../../../contract/destination.ts';
import { approvalType, paths, sessionType } from '../../../core/schema/coreDocuments.ts';
import { decideApproval } from '../../../kits/approvals/decideApproval.ts';
import { checkPerson } from '../../../kits/deliveries/checkPerson.ts';
import type { InboxResult } from '../../../kits/deliveries/mentionTaker.ts';
import { pressValue } from '../contents/approvalButtons.ts';
import type { InboxDeps } from './deps.ts';

/** A press, as its service names it. */
interface Press {
  /** The value of the button. */
  value: string;
  verdict: 'approved' | 'denied';
  person: ChatPerson;
  /** The destinations whose app sent it. */
  destinations: readonly string[];
}

/**
 * Decides an approval. A repeated press gets the stored decision.
 * @throws RetryableError when the store, the publisher or the service of the person fails.
 */
export async function decidePress(press: Press, deps: InboxDeps): Promise<InboxResult> {
  const [destination = '', approvalId = ''] = press.value.split('.');
  if (!press.destinations.includes(destination)) return { ...OTHER_APP, destination: undefined };
  const refuse = ({ code, message }: DeliveryFailure): InboxResult => ({
    outcome: code,
    destination,
    reason: message,
  });
  const configured = await deps.destinations(destination);
  const approval = (await deps.store.get(paths.approval(approvalId), approvalType))?.value;
  const session = approval && (await deps.store.get(paths.session(approval.sessionId), sessionType))?.value;
  if (configured === undefined || approval === undefined || session === undefined) return refuse(GONE);
  // The call that would run is the call that the message showed.
  if (pressValue(destination, approval) !== press.value) return refuse(CHANGED);
  const check = await checkPerson(press.person, configured, session, deps);
  if (check.kind === 'refused') return refuse(check.failure);
  const decision = { verdict: press.verdict, by: check.email, reason: null };
  const { failpoint: _, ...state } = deps;
  const outcome = await decideApproval(approvalId, decision, state);
  if (outcome.kind === 'unknown') return refuse(GONE);
  const { status, decidedBy } = outcome.approval;
  const isOwn = status === press.verdict && decidedBy === check.email;
  if (outcome.kind === 'decided' || isOwn) return { outcome: 'decided', destination, reason: null };
  const reason =
    outcome.kind === 'already_decided'
      ? `It was ${status} before, by ${decidedBy ?? 'a person'}.`
      : 'It is too late: the request has expired, or its agent has ended.';
  return { outcome: outcome.kind, destination, reason };
}

const OTHER_APP = { outcome: 'other_app', reason: null };
const GONE = { code: 'approval_unknown', message: 'This approval is no longer stored.' };
const CHANGED = {
  code: 'call_changed',
  message: 'The call is another one than the message shows; nothing was decided.',
};
