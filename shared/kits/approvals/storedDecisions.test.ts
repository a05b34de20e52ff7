// Decisions about approvals as they are stored, and what is listed and closed.

import { describe, expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleApproval,
  sampleExecution,
  samplePendingCall,
  sampleSession,
} from '../../../test/support/samples.ts';
import { SIGNATURES } from '../../../test/support/signatures.ts';
import { createDocument, replaceDocument, type Store } from '../../core/contract/store.ts';
import { callsForPeople, closeApprovals } from '../../core/kernel/execution/closeApprovals.ts';
import type { Approval } from '../../core/schema/approval.ts';
import type { Execution, PendingCall } from '../../core/schema/execution.ts';
import {
  approvalType,
  executionType,
  messageType,
  paths,
  sessionType,
  timelineEventType,
} from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMaskers } from '../../masking/maskers.ts';
import { createMemoryPublisher } from '../../store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { composeState } from '../../wiring/composeState.ts';
import { listApprovals } from '../views/listApprovals.ts';
import { decideApproval } from './decideApproval.ts';

const now = new Date(SAMPLE_TIME.getTime() + 60_000);
const later = new Date(now.getTime() + 600_000);
const { sessionId } = sampleSession();
const { executionId } = sampleExecution();
const { approvalId } = sampleApproval();

/** A call that waits for a person until `until`. */
async function waitingUntil(
  until = later,
  changes: Partial<Execution> = {},
  stored: Partial<Approval> = {},
  others: PendingCall[] = [],
) {
  // They were stored a minute before.
  const store = createMemoryStore(() => SAMPLE_TIME);
  const waitsFor = { kind: 'person' as const, id: approvalId, until };
  const call = samplePendingCall({ state: 'waiting', waits: 'person', waitsFor });
  const execution = {
    status: 'waiting' as const,
    lease: null,
    pendingCalls: [call, ...others],
    deadline: later,
  };
  await store.commit([
    createDocument(paths.session(sessionId), sessionType, sampleSession({ deadline: later })),
    createDocument(
      paths.execution(sessionId, executionId),
      executionType,
      sampleExecution({ ...execution, ...changes }),
    ),
    createDocument(paths.approval(approvalId), approvalType, sampleApproval({ until, ...stored })),
  ]);
  const publisher = createMemoryPublisher();
  const deps = composeState({
    store,
    publisher,
    clock: { now: () => now, every: () => () => {}, after: () => () => {} },
    log: createLogger({ LOG_LEVEL: 'silent' }),
    maskerFor: createMaskers({}),
    ...SIGNATURES,
  });
  return {
    deps,
    store,
    messages: async () =>
      (await store.list({ collection: paths.messages(sessionId) }, messageType)).map(
        ({ value }) => value.blocks,
      ),
    published: () => publisher.published.length,
    decide: (by: string, verdict: 'approved' | 'denied', reason: string | null = null) =>
      decideApproval(approvalId, { by, verdict, reason }, deps),
    events: async () =>
      (await store.list({ collection: paths.timeline(sessionId) }, timelineEventType)).map(({ value }) => [
        'code' in value.metadata ? value.metadata.code : value.eventType,
        value.content,
      ]),
  };
}

describe('a decision', () => {
  it('is an event with its person and reason, and publishes the message of its execution', async () => {
    const { decide, events, published } = await waitingUntil();
    await decide('ada', 'approved', 'It is known.');
    expect(await events()).toEqual([
      ['approval_decided', 'ada approved kubernetes.get_events. Reason: It is known.'],
    ]);
    expect(published()).toBe(1);
  });

  it('is stored with its signature, and runs the call of that approval only', async () => {
    const other = samplePendingCall({ index: 1 });
    const bench = await waitingUntil(later, {}, {}, [other]);
    const before = (await bench.store.get(paths.approval(approvalId), approvalType))?.value;
    const outcome = await bench.decide('ada', 'approved', 'It is known.');
    const approval = {
      ...before,
      ...{ status: 'approved', decidedBy: 'ada', decidedAt: now, reason: 'It is known.' },
      signature: expect.any(String),
    };
    expect(outcome).toEqual({ kind: 'decided', approval });
    expect((await bench.store.get(paths.approval(approvalId), approvalType))?.value).toEqual(approval);
    const execution = (await bench.store.get(paths.execution(sessionId, executionId), executionType))?.value;
    const [call, beside] = execution?.pendingCalls ?? [];
    expect(call).toMatchObject({ state: 'requested', approval: { by: 'ada', at: now } });
    expect(beside).toEqual(other);
    expect(execution).toMatchObject({ status: 'active' });
  });

  it('that denies gives the agent the reason, and never runs the call', async () => {
    const bench = await waitingUntil();
    expect(await bench.decide('ada', 'denied', 'Not now.')).toMatchObject({
      kind: 'decided',
      approval: { status: 'denied', decidedBy: 'ada', reason: 'Not now.' },
    });
    const execution = (await bench.store.get(paths.execution(sessionId, executionId), executionType))?.value;
    expect(execution?.pendingCalls.filter(({ state }) => state !== 'done')).toEqual([]);
    const feedback = JSON.stringify(await bench.messages());
    expect(feedback).toContain('Not run: ada denied kubernetes.get_events. The reason: Not now. Do not');
    const without = await waitingUntil();
    await without.decide('ada', 'denied');
    expect(JSON.stringify(await without.messages())).toContain('ada denied kubernetes.get_events. Do not');
    expect(await without.events()).toContainEqual(['approval_decided', 'ada denied kubernetes.get_events.']);
  });

  it('has its name and its reason masked', async () => {
    const { decide } = await waitingUntil();
    const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyzAB';
    const outcome = await decide('ada', 'denied', `token=${secret}`);
    expect(JSON.stringify(outcome)).not.toContain(secret);
    const named = await (await waitingUntil()).decide(`token=${secret}`, 'denied');
    expect(JSON.stringify(named)).not.toContain(secret);
  });

  it('is not stored without a key for signatures, and none is there about an unknown approval', async () => {
    const { deps, store } = await waitingUntil();
    const decision = { by: 'ada', verdict: 'approved' as const, reason: null };
    const { sign: _, ...unsigned } = deps;
    await expect(decideApproval(approvalId, decision, unsigned as typeof deps)).rejects.toThrow(
      'decisions cannot be signed',
    );
    expect((await store.get(paths.approval(approvalId), approvalType))?.value.status).toBe('pending');
    expect(await decideApproval('aaaaa-aaaaa', decision, deps)).toEqual({ kind: 'unknown' });
  });

  it('about a session that has ended is refused, and the approval is shown as ended', async () => {
    const { deps, store, decide } = await waitingUntil();
    const stored = await store.get(paths.session(sessionId), sessionType);
    if (stored === undefined) throw new Error('the session is not stored');
    const ended = { ...stored.value, status: 'cancelled' as const };
    await store.commit([replaceDocument(stored.path, sessionType, ended, stored.version)]);
    expect(await decide('ada', 'approved')).toMatchObject({ kind: 'ended', approval: { status: 'ended' } });
    expect(deps.publisher).toMatchObject({ published: [] });
    // Its approval, as stored, is closed by the end of the execution.
    expect((await store.get(paths.approval(approvalId), approvalType))?.value.status).toBe('pending');
  });

  it('of two people who deny at the same moment is that of one of them; the other one gets an error', async () => {
    const { decide } = await waitingUntil();
    const outcomes = await Promise.all([decide('ada', 'denied'), decide('bob', 'denied')]);
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['already_decided', 'decided']);
  });

  it('that comes again publishes only an execution that was not claimed since', async () => {
    const decided = { status: 'approved' as const, decidedBy: 'ada', decidedAt: now };
    const publishedBy = async (changes: Partial<Execution>): Promise<number> => {
      const { decide, published } = await waitingUntil(later, { status: 'active', ...changes }, decided);
      expect(await decide('ada', 'approved')).toMatchObject({ kind: 'already_decided' });
      return published();
    };
    expect(await publishedBy({ iteration: 2, publishedIteration: 1 })).toBe(1);
    expect(await publishedBy({ iteration: 2, publishedIteration: 2 })).toBe(0);
    const lease = { holder: 'b', until: later, messageId: null };
    expect(await publishedBy({ iteration: 2, publishedIteration: 1, lease })).toBe(0);
  });

  it('that comes when the time is over settles the call, and counts as a denial', async () => {
    const { decide, store, events } = await waitingUntil(now);
    expect(await decide('ada', 'approved')).toMatchObject({ kind: 'expired' });
    const execution = await store.get(paths.execution(sessionId, executionId), executionType);
    expect(execution?.value).toMatchObject({ status: 'active', iteration: 2 });
    expect(await events()).toContainEqual([
      'approval_decided',
      expect.stringContaining('it counts as denied'),
    ]);
  });
});

describe('approvals', () => {
  it('are listed while they can be decided, the first to expire first, however many there are', async () => {
    const store = createMemoryStore(() => now);
    const id = (number: number) => `aaaaa-${String(number).padStart(5, '0')}`;
    const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
    const approvals = Array.from({ length: 203 }, (_, number) =>
      sampleApproval({ approvalId: id(number), until: at(203 - number) }),
    );
    approvals.push(
      sampleApproval({ approvalId: id(300), until: now }),
      sampleApproval({ approvalId: id(301), until: later, status: 'denied' }),
    );
    await store.commit(
      approvals.map((one) => createDocument(paths.approval(one.approvalId), approvalType, one)),
    );
    const listed = (await listApprovals(store, now)).map((one) => one.approvalId);
    expect(listed).toHaveLength(203);
    expect([listed[0], listed.at(-1)]).toEqual([id(202), id(0)]);
  });

  it('that are decided or gone stay as they are when their execution ends', async () => {
    const calls = callsForPeople({
      pendingCalls: [
        samplePendingCall({ state: 'waiting', waitsFor: { kind: 'person', id: approvalId, until: later } }),
        samplePendingCall({ state: 'done', waitsFor: { kind: 'person', id: 'aaaaa-bbbbb', until: later } }),
        samplePendingCall({ state: 'waiting', waitsFor: { kind: 'child', id: '01-a~1', until: later } }),
      ],
    });
    expect(calls.map(({ waitsFor }) => waitsFor?.id)).toEqual([approvalId]);
    const closed = async (deps: { store: Store }) =>
      (await closeApprovals(calls, 'ended', deps)).writes.map(({ value }) => value);
    const pending = await waitingUntil();
    expect(await closed(pending)).toMatchObject([{ status: 'ended' }]);
    const denied = await waitingUntil(later, {}, { status: 'denied' });
    expect(await closed(denied)).toEqual([]);
    expect(await closed({ store: createMemoryStore(() => now) })).toEqual([]);
  });
});
