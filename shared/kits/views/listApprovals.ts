// Lists the calls that wait for a person's decision.

import type { Store } from '../../core/contract/store.ts';
import type { Approval } from '../../core/schema/approval.ts';
import { approvalType, paths } from '../../core/schema/coreDocuments.ts';
import { type OnUnreadable, splitReadable } from '../../core/schema/readable.ts';
import { getReadable } from './readable.ts';

const PAGE_SIZE = 200;

/**
 * The approvals that can still be decided, the first to expire first.
 * @param now the current time; in a pause of the installation its start, because no approval expires in it.
 * @param onUnreadable called with each unreadable approval, which is left out.
 * @param sessionId only those of this session. Default: all.
 * @throws RetryableError when the store fails.
 */
export async function listApprovals(
  store: Store,
  now: Date,
  onUnreadable?: OnUnreadable,
  sessionId?: string,
): Promise<Approval[]> {
  const found: Approval[] = [];
  let afterId: string | undefined;
  do {
    const wanted =
      sessionId === undefined
        ? { field: 'status', oneOf: ['pending'] }
        : { field: 'sessionId', oneOf: [sessionId] };
    const query = { collection: paths.approvals, ...wanted, limit: PAGE_SIZE };
    const ids = await store.listIds({ ...query, ...(afterId !== undefined && { afterId }) });
    const page = splitReadable(
      await Promise.all(ids.map((id) => getReadable(paths.approval(id), approvalType, store))),
    );
    found.push(...page.values.filter(({ status, until }) => status === 'pending' && until > now));
    for (const one of page.unreadable) onUnreadable?.(one);
    afterId = ids.length < PAGE_SIZE ? undefined : ids.at(-1);
  } while (afterId !== undefined);
  return found.sort((a, b) => a.until.getTime() - b.until.getTime());
}
