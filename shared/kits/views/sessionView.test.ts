// A session with documents of all kinds as people see it.

import { expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleAgent,
  sampleAlert,
  sampleAlertPart,
  sampleApproval,
  sampleEvent,
  sampleExecution,
  sampleInteraction,
  samplePendingCall,
  samplePlan,
  sampleSession,
  sampleStage,
} from '../../../test/support/samples.ts';
import { createDocument, type Write } from '../../core/contract/store.ts';
import { approvalType } from '../../core/schema/approval.ts';
import {
  executionType,
  interactionType,
  paths,
  sessionType,
  stageType,
  timelineEventType,
} from '../../core/schema/coreDocuments.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { readSessionView, type SessionDocuments, sessionView } from './sessionView.ts';

const at = (minutes: number) => new Date(SAMPLE_TIME.getTime() + minutes * 60_000);
const tokens = { input: 100, output: 20, thinking: 7, cached: 0, total: 127 };
const cost = { usd: 0.25, unpricedCalls: 1 };
const logs = sampleAgent({ name: 'logs' });
const plans = [
  samplePlan({ agents: [sampleAgent(), logs], synthesis: logs }),
  samplePlan({ name: 'fix', agents: [logs] }),
];
const chain = { name: 'deep', stages: plans };
const states = ['requested', 'running', 'waiting', 'done'] as const;
const pendingCalls = states.map((state, index) =>
  samplePendingCall({ index, callId: `call-${index}`, state }),
);

const executions = [
  sampleExecution({
    executionId: '01-logs-10',
    agentName: 'logs',
    limits: { ...sampleAgent().limits, sessionTokens: 100 },
    budgetReached: 'sessionTokens',
    status: 'completed',
    tokens,
    cost,
    missingServers: [{ name: 'loki', permanent: false }],
    pendingCalls: [],
    finalAnalysis: 'Disk full.',
    endedAt: at(2),
  }),
  sampleExecution({ executionId: '01-logs-2', tokens, cost, pendingCalls, toolCalls: 3 }),
  sampleExecution({
    stageId: '02-fix',
    executionId: '02-logs-1',
    status: 'pending',
    startedAt: null,
    pendingCalls: [],
    outage: { code: 'MODEL_UNAVAILABLE', since: at(1), pauses: 2, calls: 3, parked: false },
  }),
];
const documents: SessionDocuments = {
  session: sampleSession({ chain, ...sampleAlertPart(sampleAlert({ masked: 2 })) }),
  stages: [
    sampleStage({ stageId: '02-fix', index: 2, name: 'fix', createdAt: at(3) }),
    sampleStage({ status: 'completed', endedAt: at(2) }),
  ],
  executions,
  timeline: [
    sampleEvent('llm_response', { metadata: { masked: 3 } }),
    sampleEvent('error', { sequenceNumber: 2 }),
    sampleEvent('error', {
      sequenceNumber: 3,
      content: 'The call has a secret.',
      metadata: { code: 'TAINT_BLOCKED', retryable: false, recoverable: true, iteration: 1 },
    }),
    sampleEvent('notice', { sequenceNumber: 4 }),
    sampleEvent('notice', {
      sequenceNumber: 5,
      content: 'The tool has changed.',
      metadata: { code: 'tool_changed', subject: 'kubernetes.get' },
    }),
  ],
  interactions: [
    sampleInteraction({ executionId: '01-logs-10', modelVersion: 'gemini-2' }),
    sampleInteraction({ executionId: '01-logs-2', modelVersion: 'gemini-3' }),
    sampleInteraction({ executionId: '01-logs-2', modelVersion: 'gemini-3', iteration: 2 }),
    sampleInteraction({ executionId: '01-logs-2', modelVersion: null, iteration: 3 }),
  ],
  approvals: [
    sampleApproval({ approvalId: 'a' }),
    sampleApproval({ approvalId: 'b', status: 'approved', decidedBy: 'ada', decidedAt: at(1) }),
    sampleApproval({
      approvalId: 'c',
      status: 'denied',
      decidedBy: 'ada',
      reason: 'not now',
      decidedAt: at(1),
    }),
    sampleApproval({ approvalId: 'd', status: 'expired', decidedAt: at(1) }),
  ],
  problem: { status: 'firing', at: SAMPLE_TIME, repeats: 14 },
  now: at(4),
};

it('a session that runs has all that its documents hold', async () => {
  const { timeline, approvals, ...view } = sessionView(documents);
  expect(timeline).toEqual(documents.timeline);
  expect(approvals).toEqual(documents.approvals);
  // `npx vitest run FILE -u` writes the file: look at its difference.
  await expect(`${JSON.stringify(view, null, 2)}\n`).toMatchFileSnapshot('sessionView.golden.txt');
});

it.each([
  ['completed', at(3), 180_000, 0],
  ['completed', null, null, 0],
  ['failed', null, null, 0],
  ['deferred', null, null, 1],
] as const)('one that is %s, with its end at %j, lasts %j ms', (status, endedAt, durationMs, planned) => {
  const session = { ...documents.session, status, endedAt };
  const view = sessionView({ ...documents, session });
  expect(view).toMatchObject({ status, endedAt, durationMs });
  expect(view.planned).toHaveLength(planned);
});

it('a chat has no planned stages', () => {
  const session = { ...documents.session, kind: 'chat' as const };
  expect(sessionView({ ...documents, session, stages: [] }).planned).toEqual([]);
});

it('is read from the store with its documents, and none of another session', async () => {
  const store = createMemoryStore();
  const { session, stages, approvals, timeline, interactions } = documents;
  const { sessionId } = session;
  const writes = (id: string): Write[] => [
    createDocument(paths.session(id), sessionType, { ...session, sessionId: id }),
    ...stages.map((one) => createDocument(paths.stage(id, one.stageId), stageType, one)),
    ...executions.map((one) => createDocument(paths.execution(id, one.executionId), executionType, one)),
    ...timeline.map((one) =>
      createDocument(paths.event(id, one.executionId, one.sequenceNumber), timelineEventType, one),
    ),
    ...interactions.map((one, n) => createDocument(`${paths.interactions(id)}/${n}`, interactionType, one)),
    ...approvals.map((one) =>
      createDocument(paths.approval(`${id}-${one.approvalId}`), approvalType, { ...one, sessionId: id }),
    ),
  ];
  await store.commit([...writes(sessionId), ...writes('session-2')]);
  const view = await readSessionView(sessionId, store, documents.now);
  expect(view).toEqual({ ...sessionView(documents), problem: view?.problem });
  expect(await readSessionView('session-3', store, documents.now)).toBeUndefined();
});
