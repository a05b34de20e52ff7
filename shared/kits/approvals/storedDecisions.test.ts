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
import { createDocument, type Store } from '../../core/contract/store.ts';
import { callsForPeople, closeApprovals } from '../../core/kernel/execution/closeApprovals.ts';
import type { Approval } from '../../core/schema/approval.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { approvalType, executionType, paths, sessionType, timelineEventType } from '../../lists/documents.ts';
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
async function waitingUntil(until = later, changes: Partial<Execution> = {}, stored: Partial<Approval> = {}) {
  // They were stored a minute before.
  const store = createMemoryStore(() => SAMPLE_TIME);
  const waitsFor = { kind: 'person' as const, id: approvalId, until };
  const call = samplePendingCall({ state: 'waiting', waits: 'person', waitsFor });
  const execution = { status: 'waiting' as const, lease: null, pendingCalls: [call], deadline: later };
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
    store,
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
