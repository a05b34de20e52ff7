import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleExecution, samplePendingCall } from '../../../test/support/samples.ts';
import { startBatch } from '../../core/kernel/conversation/executionBatch.ts';
import type { PendingCall } from '../../core/schema/execution.ts';
import { deriveApprovalId } from '../../kits/approvals/approvalId.ts';
import { askPerson } from './askPerson.ts';

const pending = samplePendingCall({ waits: 'person' });
const call = { callId: 'call-1', name: pending.name, arguments: '{}' };

/** The call as it is after a person was to be asked, so many milliseconds before the deadline. */
function ask(leftMs: number, args = call.arguments, bound?: PendingCall['bound']) {
  const deadline = new Date(SAMPLE_TIME.getTime() + leftMs);
  const execution = sampleExecution({ deadline, lastEvent: 3, lastMessage: 4, pendingCalls: [pending] });
  const batch = startBatch(execution, SAMPLE_TIME);
  const shown = bound === undefined ? pending : { ...pending, bound };
  const [asked] = askPerson(execution, shown, { ...call, arguments: args }, batch).pendingCalls;
  const until = asked?.waitsFor?.until.getTime();
  const approvals = batch.writes.filter(({ path }) => path.startsWith('approvals/'));
  const waitMs = until && until - SAMPLE_TIME.getTime();
  const answer = JSON.stringify(batch.messages.map(({ message }) => message.blocks));
  return { answer, state: asked?.state, waitMs, approvals: approvals.length, approval: approvals[0]?.value };
}

describe('a person', () => {
  it('has a quarter of an hour to decide, but a minute before the deadline is left to the agent', () => {
    expect(ask(3_600_000)).toMatchObject({ state: 'waiting', waitMs: 900_000, approvals: 1 });
    expect(ask(960_000)).toMatchObject({ state: 'waiting', waitMs: 900_000, approvals: 1 });
    expect(ask(959_999)).toMatchObject({ state: 'waiting', waitMs: 899_999, approvals: 1 });
    expect(ask(90_000)).toMatchObject({ state: 'waiting', waitMs: 30_000, approvals: 1 });
  });

  it('is asked by one document and one event, and only that call waits', () => {
    const other = samplePendingCall({ index: 1 });
    const execution = sampleExecution({ lastEvent: 3, lastMessage: 4, pendingCalls: [pending, other] });
    const batch = startBatch(execution, SAMPLE_TIME);
    const after = askPerson(execution, pending, call, batch);
    const approvalId = deriveApprovalId(execution, pending.index);
    const { sessionId, executionId, agentName, expireAt } = execution;
    const until = new Date(SAMPLE_TIME.getTime() + 900_000);
    const approval = {
      ...{ approvalId, sessionId, executionId, agentName, callId: pending.callId, toolName: pending.name },
      ...{ arguments: '{}', status: 'pending', until, decidedBy: null, decidedAt: null, signature: null },
      ...{ reason: null, expireAt, createdAt: SAMPLE_TIME },
    };
    expect(batch.after.approvals).toEqual([approval]);
    expect(batch.writes).toMatchObject([
      { op: 'create', path: `approvals/${approvalId}`, value: approval },
      {
        op: 'create',
        value: {
          eventType: 'notice',
          content: `${pending.name} waits for approval until ${until.toISOString()}. Arguments: {}`,
          metadata: { code: 'approval_requested', subject: pending.name, approvalId },
        },
      },
    ]);
    const waitsFor = { kind: 'person', id: approvalId, until };
    expect(after).toEqual({
      ...execution,
      pendingCalls: [{ ...pending, state: 'waiting', waitsFor }, other],
    });
  });

  it('is not asked with less than half a minute to decide: the call fails at once', () => {
    expect(ask(89_999)).toMatchObject({
      ...{ state: 'failed', waitMs: undefined, approvals: 0 },
      answer: expect.stringContaining('too little time is left'),
    });
  });

  it('is shown the arguments that configuration sets in the place of those of the model', () => {
    const { approval } = ask(3_600_000, '{"namespace":"other","pod":"a"}', { namespace: 'shop' });
    expect(approval).toMatchObject({ arguments: '{"namespace":"shop","pod":"a"}' });
  });

  it('is shown at most 16,000 bytes of arguments: a call with more fails', () => {
    const args = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) });
    expect(ask(3_600_000, args(16_000))).toMatchObject({ state: 'waiting' });
    expect(ask(3_600_000, args(16_001))).toMatchObject({
      ...{ state: 'failed', approvals: 0 },
      answer: expect.stringContaining('its arguments have 16001 bytes; a person is shown 16000 at most'),
    });
  });
});
