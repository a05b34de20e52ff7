// Code of parts above the steps: loaded while the session is read, so that nothing moves.

import type { SessionView } from '../../../shared/api/types.ts';

/** The card of an approval. */
export const readApprovalCard = () => import('./ApprovalCard.tsx').then((module) => module.ApprovalCard);

/** The verdict and its claims. */
export const readClaims = () => import('./analysis/Claims.tsx').then((module) => module.Claims);

/** Whether a session waits for a decision. */
export const isWaiting = ({ approvals }: SessionView) => approvals.some(({ status }) => status === 'pending');

/** Starts to load the data of a session. The component that draws it meets a failure again and shows it. */
export function loadAbove(view: SessionView): void {
  if (isWaiting(view)) void readApprovalCard().catch(() => {});
  if (view.verdict) void readClaims().catch(() => {});
}
