import { describe, expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleApproval,
  sampleExecution,
  samplePendingCall,
  sampleSession,
} from '../../../../test/support/samples.ts';
import { TERMINAL_STATUSES } from '../../../schema/common.ts';
import { stateOf } from './decideApproval.ts';

const now = SAMPLE_TIME;
const later = new Date(now.getTime() + 1);
const approval = sampleApproval({ until: later });
const waitsFor = { kind: 'person' as const, id: approval.approvalId, until: later };
const call = samplePendingCall({ state: 'waiting', waits: 'person', waitsFor });
const execution = sampleExecution({ status: 'waiting', pendingCalls: [call] });
const session = sampleSession({ status: 'in_progress' });

describe('an approval', () => {
  it('waits for a decision until its time is over, from that very moment on', () => {
    expect(stateOf(approval, execution, session, now)).toEqual({ kind: 'waits', call });
    expect(stateOf(approval, execution, session, later)).toEqual({ kind: 'overdue' });
  });

  it.each([
    ['approved', 'already_decided'],
    ['denied', 'already_decided'],
    ['expired', 'expired'],
    ['ended', 'ended'],
  ] as const)('that is stored as %s stays so, whatever status its execution has', (status, kind) => {
    expect(stateOf({ ...approval, status }, execution, session, now)).toEqual({ kind });
    expect(stateOf({ ...approval, status }, undefined, undefined, now)).toEqual({ kind });
  });

  it('has ended with its session: cancelled, over, or deleted', () => {
    for (const status of ['cancelling', ...TERMINAL_STATUSES] as const)
      expect(stateOf(approval, execution, { ...session, status }, now)).toEqual({ kind: 'ended' });
    expect(stateOf(approval, undefined, session, now)).toEqual({ kind: 'ended' });
    expect(stateOf(approval, execution, undefined, now)).toEqual({ kind: 'ended' });
  });

  it('about a question waits as long as that is answered, whatever became of the session', () => {
    const openStage = { stageId: execution.stageId, deadline: later, cancelling: false };
    const asked = { ...session, status: 'cancelled' as const, openStage };
    expect(stateOf(approval, execution, asked, now)).toEqual({ kind: 'waits', call });
    const cancelling = { ...asked, openStage: { ...openStage, cancelling: true } };
    expect(stateOf(approval, execution, cancelling, now)).toEqual({ kind: 'ended' });
    const newer = { ...asked, openStage: { ...openStage, stageId: '09-chat' } };
    expect(stateOf(approval, execution, newer, now)).toEqual({ kind: 'ended' });
  });

  it('was read before a commit that its execution shows: it has to be read again', () => {
    const settled = { ...execution, pendingCalls: [{ ...call, state: 'done' as const }] };
    const another = { ...call, waitsFor: { ...waitsFor, id: 'aaaaa-aaaaa' } };
    for (const changed of [
      settled,
      { ...execution, pendingCalls: [another] },
      { ...execution, pendingCalls: [] },
    ])
      expect(stateOf(approval, changed, session, now)).toEqual({ kind: 'changed' });
  });
});
