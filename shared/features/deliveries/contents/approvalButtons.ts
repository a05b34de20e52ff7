// The buttons of a request for approval, and the digest that names the call of a press. Pure.

import { createHash } from 'node:crypto';
import type { MessageButton } from '../../../contract/destination.ts';
import type { Approval } from '../../../core/schema/approval.ts';
import type { Session } from '../../../core/schema/session.ts';
import { isSeenWhole } from '../../../text/hiddenCharacters.ts';

/** The digest of a call: a press that shows another call than the one that would run is refused. */
function callDigest({ approvalId, toolName, arguments: args }: Approval): string {
  return createHash('sha256')
    .update(JSON.stringify([approvalId, toolName, args]))
    .digest('hex');
}

/** The value of the buttons: the destination, the approval, and the digest of its call. */
export function pressValue(destination: string, approval: Approval): string {
  return `${destination}.${approval.approvalId}.${callDigest(approval)}`;
}

/**
 * The buttons of a pending approval. A call that no message shows as it runs has no `approve`: with hidden
 * characters, padded with blanks, or with text from right to left. A destination drops it where the call does
 * not fit uncut.
 */
export function approvalButtons(
  destination: string,
  approval: Approval,
  { sessionId }: Pick<Session, 'sessionId'>,
  publicUrl: string | null,
): MessageButton[] {
  const value = pressValue(destination, approval);
  const open: MessageButton[] =
    publicUrl === null
      ? []
      : [{ action: 'open', label: 'Open', url: `${publicUrl}/s/${encodeURIComponent(sessionId)}` }];
  const { toolName, arguments: args } = approval;
  const approve: MessageButton[] = [toolName, args].every(isSeenWhole)
    ? [{ action: 'approve', label: 'Approve', value }]
    : [];
  return [...approve, { action: 'deny', label: 'Deny', value }, ...open];
}
