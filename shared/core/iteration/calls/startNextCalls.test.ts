import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleExecution, samplePendingCall } from '../../../../test/support/samples.ts';
import { askPerson } from '../../../features/approvals/askPerson.ts';
import { startBatch } from '../../kernel/conversation/executionBatch.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import { startNextCalls } from './startNextCalls.ts';

const call = (index: number, overrides: Partial<PendingCall> = {}): PendingCall =>
  samplePendingCall({
    index,
    callId: `call-${index}`,
    resultEvent: 10 + index,
    resultMessage: 20 + index,
    ...overrides,
  });

function start(pendingCalls: PendingCall[], overrides: Partial<Execution> = {}, text = '{"to":1}') {
  const execution = sampleExecution({ pendingCalls, lastEvent: 19, lastMessage: 29, ...overrides });
  const batch = startBatch(execution, SAMPLE_TIME);
  const calls = pendingCalls.map(({ callId, name }) => ({ callId, name, arguments: text }));
  const next = startNextCalls(execution, calls, batch, new Map([['person', askPerson]]));
  return { next, states: next.pendingCalls.map(({ state }) => state), writes: batch.writes };
}

it('the next calls are recorded as running', () => {
  const { states, writes } = start([call(0, { state: 'done' }), call(1), call(2)]);
  expect(states).toEqual(['done', 'running', 'running']);
  expect(writes).toEqual([]);
});

it('with the last result the iteration is finished', () => {
  const { next } = start([call(0, { state: 'done' }), call(1, { state: 'failed' })]);
  expect(next).toMatchObject({ iteration: 2, lease: null, pendingCalls: [], claims: 0, startedClaims: 0 });
});

it('a call that would have to wait for a child fails in its turn, and the next ones start', () => {
  const { next, states, writes } = start([call(0, { waits: 'child' }), call(1, { state: 'done' })]);
  expect(next).toMatchObject({ iteration: 2, lastErrorMessage: expect.stringContaining('child') });
  expect(states).toEqual([]);
  expect(writes.map(({ value }) => value)).toMatchObject([
    {
      eventType: 'tool_result',
      sequenceNumber: 10,
      status: 'failed',
      content: expect.stringMatching('it would have to wait for a child'),
    },
    { role: 'tool', sequenceNumber: 20 },
  ]);
});

const person = (index: number, overrides: Partial<PendingCall> = {}) =>
  call(index, { waits: 'person', readOnly: false, ...overrides });
const minutes = (count: number) => new Date(SAMPLE_TIME.getTime() + count * 60_000);

describe('a call that needs approval', () => {
  it('waits for a person: nothing holds the execution, and the question is stored beside it', () => {
    const held = { lease: { holder: 'h', until: minutes(1), messageId: null }, claims: 2, startedClaims: 2 };
    const { next, states, writes } = start([call(0, { state: 'done' }), person(1), call(2)], held);
    expect(states).toEqual(['done', 'waiting', 'requested']);
    const noClaims = { lease: null, claims: 0, startedClaims: 0 };
    expect(next).toMatchObject({ status: 'waiting', ...noClaims, lastEvent: 20 });
    const [approval, event] = writes.map(({ value }) => value as Record<string, unknown>);
    expect(approval).toMatchObject({
      approvalId: next.pendingCalls[1]?.waitsFor?.id,
      status: 'pending',
      arguments: '{"to":1}',
      until: minutes(15),
    });
    expect(event).toMatchObject({
      eventType: 'notice',
      sequenceNumber: 20,
      metadata: { code: 'approval_requested', approvalId: approval?.approvalId },
    });
    expect(writes).toHaveLength(2);
  });

  it('waits no longer than until a minute before the deadline', () => {
    const { next } = start([person(0)], { deadline: minutes(5) });
    expect(next.pendingCalls[0]?.waitsFor?.until).toEqual(minutes(4));
  });

  it.each([
    ['there is too little time left to ask', { deadline: minutes(1.4) }, '{}', /too little time/],
    ['nobody could read its arguments', {}, 'x'.repeat(16_001), /arguments have 16001 bytes/],
  ])('gets an error when %s, and those behind it come next', (_, overrides, text, reason) => {
    const { states, writes } = start([person(0), call(1)], overrides, text);
    expect(states).toEqual(['failed', 'running']);
    expect(writes[0]?.value).toMatchObject({
      eventType: 'tool_result',
      content: expect.stringMatching(reason),
    });
  });

  it('runs once it is approved', () => {
    const approval = { by: 'jane', at: SAMPLE_TIME };
    expect(start([person(0, { approval }), person(1)]).states).toEqual(['running', 'requested']);
  });
});

it('ordinary calls run before any of their group is refused', () => {
  const { states } = start([call(0, { waits: 'child' }), call(1)]);
  expect(states).toEqual(['requested', 'running']);
});
