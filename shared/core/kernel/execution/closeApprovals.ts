// Closes the approval documents of calls that stop waiting, in the batch of the execution.

import type { Announced } from '../../contract/announce.ts';
import { replaceDocument, type Write } from '../../contract/store.ts';
import type { ApprovalStatus } from '../../schema/approval.ts';
import { approvalType, paths } from '../../schema/coreDocuments.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import type { StateDeps } from '../deps.ts';
import { captureFailure } from '../documents/reading.ts';

/** The calls that wait for a person. */
export function callsForPeople({ pendingCalls }: Pick<Execution, 'pendingCalls'>): PendingCall[] {
  return pendingCalls.filter(({ state, waitsFor }) => state === 'waiting' && waitsFor?.kind === 'person');
}

/**
 * Returns the writes that close the approvals of `calls` undecided, and their change. Skips missing, broken
 * and closed approvals.
 * @throws RetryableError when the store fails, or for a document of newer code.
 */
export async function closeApprovals(
  calls: readonly PendingCall[],
  status: Extract<ApprovalStatus, 'expired' | 'ended'>,
  { store }: Pick<StateDeps, 'store'>,
): Promise<{ writes: Write[]; before: Announced; after: Announced }> {
  const found = await Promise.all(
    calls.map(({ waitsFor }) =>
      waitsFor === undefined
        ? { value: undefined }
        : captureFailure(store.get(paths.approval(waitsFor.id), approvalType)),
    ),
  );
  const pending = found.flatMap(({ value }) => (value?.value.status === 'pending' ? [value] : []));
  const closed = pending.map((one) => ({ ...one, value: { ...one.value, status } }));
  return {
    writes: closed.map(({ path, value, version }) => replaceDocument(path, approvalType, value, version)),
    before: { approvals: pending.map(({ value }) => value) },
    after: { approvals: closed.map(({ value }) => value) },
  };
}
