// Lists the calls that wait for a person's decision.

import type { RawDocuments } from '../../contract/rawDocuments.ts';
import type { Store } from '../../core/contract/store.ts';
import type { Approval } from '../../core/schema/approval.ts';
import { approvalType, paths } from '../../core/schema/coreDocuments.ts';
import { splitReadable, type Unreadable } from '../../core/schema/readable.ts';
import { getReadable } from './readable.ts';
import { cutPage } from './readPage.ts';

const PAGE_SIZE = 200;

/**
 * The readable approvals that can still be decided, the first to expire first.
 * @param now the current time; in a pause of the installation its start, because no approval expires in it.
 * @param sessionId only those of this session. Default: all.
 * @throws RetryableError when the store fails.
 */
export async function listApprovals(store: Store, now: Date, sessionId?: string): Promise<Approval[]> {
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
    found.push(...page.values.filter((one) => isOpenApproval(one, now)));
    afterId = ids.length < PAGE_SIZE ? undefined : ids.at(-1);
  } while (afterId !== undefined);
  return sortByExpiry(found);
}

/** Whether an approval can still be decided. */
const isOpenApproval = ({ status, until }: Approval, now: Date): boolean =>
  status === 'pending' && until > now;

/** The first to expire first. */
const sortByExpiry = (approvals: readonly Approval[]): Approval[] =>
  approvals.toSorted((a, b) => a.until.getTime() - b.until.getTime());

/** A page of approvals. */
interface ApprovalPage {
  /** Those that can still be decided, the first to expire first. */
  approvals: Approval[];
  unreadable: Unreadable[];
  /** For `after` of the next page, which can have approvals after an empty page; null on the last. */
  next: string | null;
}

/**
 * Reads as many approvals as the page has, and one more, in the order of their ids. Those that have expired
 * and those of other tenants are left out.
 * @param request.now as for `listApprovals`.
 * @throws RetryableError when the store fails.
 */
export async function readApprovalPage(
  { now, after, limit }: { now: Date; after?: string | undefined; limit: number },
  { store, documents }: { store: Pick<Store, 'get'>; documents: Pick<RawDocuments, 'list'> },
): Promise<ApprovalPage> {
  const read = await documents.list({
    collection: paths.approvals,
    equal: { field: 'status', value: 'pending' },
    afterId: after,
    limit: limit + 1,
    fields: ['status'],
  });
  const { page, next } = cutPage(read, limit);
  // Through the store of the tenant, for which those of others do not exist.
  const found = await Promise.all(page.map(({ path }) => getReadable(path, approvalType, store)));
  const { values, unreadable } = splitReadable(found);
  return {
    approvals: sortByExpiry(values.filter((one) => isOpenApproval(one, now))),
    unreadable,
    next,
  };
}
