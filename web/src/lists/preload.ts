// Code of parts above the steps: loaded while the session is read, so that nothing moves.

import type { SessionView } from '../../../shared/lists/apiTypes.ts';

/** The cards of approvals. */
export const readApprovals = () =>
  import('../features/approvals/Approvals.tsx').then((module) => module.Approvals);

/** The verdict and its claims. */
export const readClaims = () => import('../features/claims/Claims.tsx').then((module) => module.Claims);

/** The approvals that wait for a decision. */
export const listPending = ({ approvals }: SessionView) =>
  approvals.filter(({ status }) => status === 'pending');

/** Starts to load the data of a session. The component that draws it meets a failure again and shows it. */
export function loadAbove(view: SessionView): void {
  if (listPending(view).length > 0) void readApprovals().catch(() => {});
  if (view.verdict) void readClaims().catch(() => {});
}
