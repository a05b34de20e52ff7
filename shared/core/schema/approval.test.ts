import { expect, it } from 'vitest';
import { sampleApproval } from '../../../test/support/samples.ts';
import { approvalType } from '../../lists/documents.ts';

it('reads an approval of version 1, whose decision had no signature', () => {
  const { signature: _, ...old } = sampleApproval({ status: 'approved', decidedBy: 'jane' });
  const read = approvalType.decode({ ...old, schemaVersion: 1 }, 'approvals/k7f3q-9mtxz');
  expect(read).toEqual({ ...old, signature: null });
});
