import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleApproval,
  sampleExecution,
  samplePendingCall,
  sampleSession,
} from '../../../test/support/samples.ts';
import { TERMINAL_STATUSES } from '../../core/schema/common.ts';
import { decideApprovalState } from './decideApproval.ts';
import { decisionStatement } from './decisionStatement.ts';

const now = SAMPLE_TIME;
const later = new Date(now.getTime() + 1);
const approval = sampleApproval({ until: later });
const waitsFor = { kind: 'person' as const, id: approval.approvalId, until: later };
const call = samplePendingCall({ state: 'waiting', waits: 'person', waitsFor });
const execution = sampleExecution({ status: 'waiting', pendingCalls: [call] });
const session = sampleSession({ status: 'in_progress' });

describe('an approval', () => {
  it('waits for a decision until its time is over, from that very moment on', () => {
    expect(decideApprovalState(approval, execution, session, now)).toEqual({ kind: 'waits', call });
    expect(decideApprovalState(approval, execution, session, later)).toEqual({ kind: 'overdue' });
  });

  it.each([
    ['approved', 'already_decided'],
    ['denied', 'already_decided'],
    ['expired', 'expired'],
    ['ended', 'ended'],
  ] as const)('that is stored as %s stays so, whatever status its execution has', (status, kind) => {
    expect(decideApprovalState({ ...approval, status }, execution, session, now)).toEqual({ kind });
    expect(decideApprovalState({ ...approval, status }, undefined, undefined, now)).toEqual({ kind });
  });

  it('has ended with its session: cancelled, over, or deleted', () => {
    for (const status of ['cancelling', ...TERMINAL_STATUSES] as const)
      expect(decideApprovalState(approval, execution, { ...session, status }, now)).toEqual({
        kind: 'ended',
      });
    expect(decideApprovalState(approval, undefined, session, now)).toEqual({ kind: 'ended' });
    expect(decideApprovalState(approval, execution, undefined, now)).toEqual({ kind: 'ended' });
  });

  it('about a question waits until the question is answered, whether or not the session has ended', () => {
    const openStage = { stageId: execution.stageId, deadline: later, cancelling: false };
    const asked = { ...session, status: 'cancelled' as const, openStage };
    expect(decideApprovalState(approval, execution, asked, now)).toEqual({ kind: 'waits', call });
    const cancelling = { ...asked, openStage: { ...openStage, cancelling: true } };
    expect(decideApprovalState(approval, execution, cancelling, now)).toEqual({ kind: 'ended' });
    const newer = { ...asked, openStage: { ...openStage, stageId: '09-chat' } };
    expect(decideApprovalState(approval, execution, newer, now)).toEqual({ kind: 'ended' });
  });

  it('was read before a commit that its execution shows: it has to be read again', () => {
    const settled = { ...execution, pendingCalls: [{ ...call, state: 'done' as const }] };
    const another = { ...call, waitsFor: { ...waitsFor, id: 'aaaaa-aaaaa' } };
    for (const changed of [
      settled,
      { ...execution, pendingCalls: [another] },
      { ...execution, pendingCalls: [] },
    ])
      expect(decideApprovalState(approval, changed, session, now)).toEqual({ kind: 'changed' });
  });
});

describe('the signature of a decision', () => {
  const DECISION = {
    ...{ approvalId: 'a', toolName: 'shop.restart', arguments: '{"a":1,"b":{"c":[1,2],"d":null}}' },
    ...{ verdict: 'approved' as const, by: 'ada', at: now },
  };
  const signed = (changes: Partial<typeof DECISION> = {}) =>
    JSON.stringify(decisionStatement({ ...DECISION, ...changes }));

  it('is about the arguments in any order of their names, which the database does not keep', () => {
    expect(signed({ arguments: '{ "b": {"d":null,"c":[1,2]}, "a": 1 }' })).toBe(signed());
    expect(signed({ arguments: '{"b":{"c":[1,2],"d":null},"a":1}' })).toBe(signed());
  });

  it('has the digest of the arguments with sorted names, as stored signatures have it', () => {
    const digest = createHash('sha256').update('{"a":1,"b":{"c":[1,2],"d":null}}').digest('hex');
    expect(decisionStatement(DECISION).fields[2]).toBe(digest);
  });

  it('is about nothing else', () => {
    const others = [
      { approvalId: 'b' },
      { toolName: 'shop.delete' },
      { arguments: '{"a":1,"b":{"c":[2,1],"d":null}}' },
      { arguments: '{"a":2,"b":{"c":[1,2],"d":null}}' },
      { arguments: '{"a":1}' },
      { arguments: 'no JSON' },
      { arguments: 'other' },
      { verdict: 'denied' as never },
      { by: 'eve' },
      { at: later },
    ];
    expect(new Set([signed(), ...others.map(signed)]).size).toBe(others.length + 1);
  });
});
