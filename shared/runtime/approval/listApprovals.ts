// The calls that wait for a person's decision.

import type { Store } from '../../contract/store.ts';
import type { Approval } from '../../schema/control.ts';
import { approvalType, paths } from '../../schema/documents.ts';
import { SchemaVersionError } from '../../schema/documentType.ts';
import { captureFailure } from '../reading.ts';

const PAGE_SIZE = 200;

/**
 * The approvals that can still be decided at `now`, the first to expire first. Documents that are broken or of newer code are
 * left out, and their sessions name them.
 * @throws RetryableError when the store fails.
 */
export async function listApprovals(store: Store, now: Date): Promise<Approval[]> {
  const found: Approval[] = [];
  let afterId: string | undefined;
  do {
    const query = { collection: paths.approvals, field: 'status', oneOf: ['pending'], limit: PAGE_SIZE };
    const ids = await store.listIds({ ...query, ...(afterId !== undefined && { afterId }) });
    const page = await Promise.all(ids.map((id) => readOne(id, store)));
    for (const stored of page) {
      if (stored?.status === 'pending' && stored.until > now) found.push(stored);
    }
    afterId = ids.length < PAGE_SIZE ? undefined : ids.at(-1);
  } while (afterId !== undefined);
  return found.sort((a, b) => a.until.getTime() - b.until.getTime());
}

async function readOne(id: string, store: Store): Promise<Approval | undefined> {
  const reading = captureFailure(store.get(paths.approval(id), approvalType));
  const { value } = await reading.catch((error: unknown) => {
    if (!(error instanceof SchemaVersionError)) throw error;
    return { value: undefined };
  });
  return value?.value;
}
