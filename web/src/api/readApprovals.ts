// Reads the approvals that wait, from all pages.

import type { AnswerOf } from '../../../shared/lists/apiTypes.ts';
import { api } from './client.ts';

/** Pages that are read, each of 200 approvals. */
const MAX_PAGES = 5;

type OpenApproval = AnswerOf<'GET /v1/approvals'>['approvals'][number];

/** The approvals, and whether there are more. */
export async function readApprovals(
  left?: AbortSignal,
): Promise<{ approvals: OpenApproval[]; isCut: boolean }> {
  const approvals: OpenApproval[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const read: AnswerOf<'GET /v1/approvals'> = await api.get('/v1/approvals', { after }, left);
    approvals.push(...read.approvals);
    if (read.next == null) return { approvals, isCut: false };
    after = read.next;
  }
  return { approvals, isCut: true };
}
