// The calls that wait for a person's decision.

import type { Store } from '../../contract/store.ts';
import type { Approval } from '../../schema/control.ts';
import { approvalType, paths } from '../../schema/documents.ts';
import { captureFailure } from '../reading.ts';

const PAGE_SIZE = 200;

/**
 * The approvals that can still be decided at `now`, the first to expire first. Broken documents are left out.
 * @throws RetryableError when the store fails, or for a document of newer code.
 */
export async function listApprovals(store: Store, now: Date): Promise<Approval[]> {
  const found: Approval[] = [];
  let afterId: string | undefined;
  do {
    const query = { collection: paths.approvals, field: 'status', oneOf: ['pending'], limit: PAGE_SIZE };
    const ids = await store.listIds({ ...query, ...(afterId !== undefined && { afterId }) });
    const page = await Promise.all(
      ids.map((id) => captureFailure(store.get(paths.approval(id), approvalType))),
    );
    for (const { value: stored } of page) {
      if (stored?.value.status === 'pending' && stored.value.until > now) found.push(stored.value);
    }
    afterId = ids.length < PAGE_SIZE ? undefined : ids.at(-1);
  } while (afterId !== undefined);
  return found.sort((a, b) => a.until.getTime() - b.until.getTime());
}
