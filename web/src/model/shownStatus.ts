// The status of a session as its page and the list show it.

import type { SessionView } from '../../../shared/lists/apiTypes.ts';
import { listResultLimits } from './caveats.ts';

/** `waits` for a pending approval, `paused`, `limited` for limited results, or the status. */
export function shownStatus(view: SessionView): string {
  const { status, approvals, steering } = view;
  if (status === 'completed') return listResultLimits(view).length > 0 ? 'limited' : status;
  if (status !== 'in_progress') return status;
  if (approvals.some((approval) => approval.status === 'pending')) return 'waits';
  return steering.paused === null ? status : 'paused';
}
