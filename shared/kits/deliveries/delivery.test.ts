import { expect, it } from 'vitest';
import { SAMPLE_TIME } from '../../../test/support/samples.ts';
import { inboxEntryType } from '../../lists/documents.ts';

it('reads an entry of version 1, whose press had no signature', () => {
  const entry = {
    destinations: ['team'],
    content: { kind: 'press', verdict: 'approved', value: 'team.k7f3q-9mtxz.0' },
    userId: 'U1',
    team: 'T1',
    message: 'C1:1',
    state: 'pending',
    outcome: null,
    dueAt: SAMPLE_TIME,
    expireAt: SAMPLE_TIME,
    createdAt: SAMPLE_TIME,
  };
  const read = inboxEntryType.decode({ ...entry, schemaVersion: 1 }, 'inbox/a');
  expect(read).toEqual({ ...entry, signature: null });
});
