// The spans of single documents, which must not depend on any other document.

import { expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleAlertPart,
  sampleEvent,
  sampleExecution,
  sampleInteraction,
  sampleSession,
  sampleStage,
} from '../../../test/support/samples.ts';
import { deleteDocument, putDocument } from '../../core/contract/store.ts';
import { deriveSpanId, deriveTraceId, traceparentOfCall } from '../../core/kernel/session/spanIds.ts';
import {
  executionType,
  interactionType,
  paths,
  sessionType,
  stageType,
  timelineEventType,
} from '../../lists/documents.ts';
import { addMeasurements, measureSpans } from './metrics.ts';
import { buildSpans, listSpanDocuments, type StoredDocument } from './spansOf.ts';

const later = (ms: number) => new Date(SAMPLE_TIME.getTime() + ms);
const spans = (type: { name: string }, value: unknown, content: 'none' | 'masked' = 'none') =>
  buildSpans([{ type: type.name, id: 'a', value } satisfies StoredDocument], content);
const result = (metadata: object, changes: object = {}) => ({
  ...sampleEvent('tool_result'),
  metadata: {
    toolName: 'kubernetes.get_logs',
    callId: 'c',
    isError: false,
    truncated: false,
    durationMs: 1_500,
    ...metadata,
  },
  ...changes,
});

const { sessionId, stageId, executionId } = sampleExecution();
const id = (...parts: Parameters<typeof deriveSpanId> extends [string, ...infer R] ? R : never) =>
  deriveSpanId(sessionId, ...parts);
/** A span of the sample session with these differences from one of a second. */
const span = ({ attributes, ...changes }: { attributes: object; [name: string]: unknown }) => ({
  kind: 'internal',
  events: [],
  sessionId,
  traceId: deriveTraceId(sessionId),
  startedAt: SAMPLE_TIME,
  endedAt: later(1_000),
  ...changes,
  attributes: { 'gen_ai.conversation.id': sessionId, ...attributes },
});
const failure = { code: 'MODEL_QUOTA', message: 'no tokens', details: null } as never;
const inSecond = { createdAt: SAMPLE_TIME, endedAt: later(1_000) };

it.each<[string, { name: string }, unknown, object[]]>([
  [
    'a session that failed',
    sessionType,
    sampleSession({ ...inSecond, status: 'failed', failure, traceparent: 'the trace of the sender' }),
    [
      span({
        spanId: id('session'),
        name: 'invoke_workflow default',
        error: 'MODEL_QUOTA',
        link: 'the trace of the sender',
        attributes: {
          'gen_ai.operation.name': 'invoke_workflow',
          'gen_ai.workflow.name': 'default',
          'inquest.session.status': 'failed',
          'inquest.tenant': 'default',
          'inquest.alert.source': 'alertmanager',
          'inquest.alert.severity': 'critical',
          'error.type': 'MODEL_QUOTA',
        },
      }),
    ],
  ],
  [
    'a session without an alert',
    sessionType,
    sampleSession({ ...inSecond, status: 'completed', traceparent: null, ...sampleAlertPart(null) }),
    [
      span({
        spanId: id('session'),
        name: 'invoke_workflow default',
        attributes: {
          'gen_ai.operation.name': 'invoke_workflow',
          'gen_ai.workflow.name': 'default',
          'inquest.session.status': 'completed',
          'inquest.tenant': 'default',
        },
      }),
    ],
  ],
  ['a session whose end has no time', sessionType, sampleSession({ status: 'failed' }), []],
  [
    'a stage',
    stageType,
    sampleStage({ ...inSecond, status: 'completed' }),
    [
      span({
        spanId: id('stage', stageId),
        parentSpanId: id('session'),
        name: 'stage investigation',
        attributes: { 'inquest.stage.kind': 'investigation', 'inquest.stage.status': 'completed' },
      }),
    ],
  ],
  ['a stage that is open', stageType, sampleStage(), []],
  [
    'an agent that waited, and failed',
    executionType,
    sampleExecution({
      ...inSecond,
      status: 'failed',
      failure,
      iteration: 3,
      tokens: { input: 500, output: 40, thinking: 20, cached: 100, total: 560 },
      cost: { usd: 0.25, unpricedCalls: 1 },
      waits: [
        { kind: 'person', from: later(100), to: later(600) },
        { kind: 'child', from: later(600), to: later(100) },
      ] as never,
      finalAnalysis: 'It was the disk.',
    }),
    [
      span({
        spanId: id('agent', executionId),
        parentSpanId: id('stage', stageId),
        name: 'invoke_agent kubernetes',
        error: 'MODEL_QUOTA',
        events: [
          {
            name: 'inquest.wait',
            at: later(100),
            attributes: { 'inquest.wait.kind': 'person', 'inquest.wait.seconds': 0.5 },
          },
          {
            name: 'inquest.wait',
            at: later(600),
            attributes: { 'inquest.wait.kind': 'child', 'inquest.wait.seconds': 0 },
          },
        ],
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'kubernetes',
          'gen_ai.agent.id': executionId,
          'gen_ai.usage.input_tokens': 500,
          'gen_ai.usage.output_tokens': 60,
          'gen_ai.usage.cache_read.input_tokens': 100,
          'gen_ai.usage.reasoning.output_tokens': 20,
          'inquest.cost.usd': 0.25,
          'inquest.execution.status': 'failed',
          'inquest.execution.iterations': 3,
          'error.type': 'MODEL_QUOTA',
        },
      }),
    ],
  ],
  ['an agent that runs', executionType, sampleExecution(), []],
  ['an event that is no result', timelineEventType, sampleEvent('final_analysis'), []],
  ['a document of another type', { name: 'nothing' }, {}, []],
])('%s has exactly its spans', (_, type, value, expected) => {
  expect(spans(type, value)).toEqual(expected);
});

it('content is in the span of an agent only if it is enabled, and only if there is some', () => {
  const ended = (finalAnalysis: string | null) => sampleExecution({ ...inSecond, finalAnalysis });
  const output = (finalAnalysis: string | null, content: 'none' | 'masked') =>
    spans(executionType, ended(finalAnalysis), content)[0]?.attributes['gen_ai.output.messages'];
  expect(JSON.parse(String(output('It was the disk.', 'masked')))).toEqual([
    {
      role: 'assistant',
      parts: [{ type: 'text', content: 'It was the disk.' }],
      finish_reason: 'stop',
    },
  ]);
  expect([output('It was the disk.', 'none'), output(null, 'masked')]).toEqual([undefined, undefined]);
  const [tool] = spans(timelineEventType, result({}, { content: 'full' }), 'masked');
  expect(tool?.attributes['gen_ai.tool.call.result']).toBe('full');
});

it('an agent that another one asked is below the call that asked it, which names no server', () => {
  const asked = sampleExecution({ ...inSecond, parentExecutionId: '01-lead' });
  expect(spans(executionType, asked)[0]?.parentSpanId).toBe(id('child', executionId));
  const call = result({ toolName: 'ask_agent', childExecutionId: executionId }, { executionId: '01-lead' });
  expect(spans(timelineEventType, call)).toEqual([
    span({
      spanId: id('child', executionId),
      parentSpanId: id('agent', '01-lead'),
      name: 'execute_tool ask_agent',
      startedAt: later(-1_500),
      endedAt: SAMPLE_TIME,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'ask_agent',
        'gen_ai.tool.call.id': 'c',
        'gen_ai.tool.type': 'function',
      },
    }),
  ]);
});

it('the call of a server has a span for its request', () => {
  const call = result({ toolName: 'journal.logs.read', isError: true });
  const shared = {
    startedAt: later(-1_500),
    endedAt: SAMPLE_TIME,
    error: 'tool_error',
  };
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.call.id': 'c',
    'error.type': 'tool_error',
  };
  expect(spans(timelineEventType, call)).toEqual([
    span({
      ...shared,
      spanId: id('tool', executionId, 1),
      parentSpanId: id('agent', executionId),
      name: 'execute_tool journal.logs.read',
      attributes: {
        ...attributes,
        'gen_ai.tool.name': 'journal.logs.read',
        'gen_ai.tool.type': 'function',
      },
    }),
    span({
      ...shared,
      spanId: id('mcp', executionId, 1),
      parentSpanId: id('tool', executionId, 1),
      name: 'tools/call logs.read',
      kind: 'client',
      attributes: {
        ...attributes,
        'gen_ai.tool.name': 'logs.read',
        'mcp.method.name': 'tools/call',
        'inquest.server': 'journal',
      },
    }),
  ]);
});

it('the attempts of a model call have their own tiers, and the last one the outcome of the call', () => {
  const first = {
    'gen_ai.operation.name': 'generate_content',
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.request.model': 'gemini-3.8-flash',
    'gen_ai.request.stream': true,
    'inquest.interaction.type': 'iteration',
  };
  const outcome = {
    'inquest.attempts': 2,
    'gen_ai.response.model': 'gemini-3.8-flash-001',
    'gen_ai.usage.input_tokens': 500,
    'gen_ai.usage.output_tokens': 60,
    'gen_ai.usage.cache_read.input_tokens': 0,
    'gen_ai.usage.reasoning.output_tokens': 20,
  };
  const call = sampleInteraction({
    attempts: 2,
    attemptErrors: [''],
    attemptTimes: [
      { startedMs: 0, endedMs: 400, serviceTier: 'flex' },
      { startedMs: 500, endedMs: 1_000, serviceTier: 'priority' },
    ] as never,
    serviceTier: 'standard',
    failure,
    finishReason: 'STOP',
    costUsd: 0.5,
  });
  const shared = {
    parentSpanId: id('agent', executionId),
    name: 'generate_content gemini-3.8-flash',
    kind: 'client',
  };
  const spansOfCall = [
    span({
      ...shared,
      spanId: id('attempt', 'a', 0),
      endedAt: later(400),
      attributes: { ...first, 'inquest.attempt': 1, 'inquest.service_tier': 'flex' },
    }),
    span({
      ...shared,
      spanId: id('attempt', 'a', 1),
      startedAt: later(500),
      error: 'MODEL_QUOTA',
      attributes: {
        ...first,
        ...outcome,
        'inquest.attempt': 2,
        'inquest.service_tier': 'standard',
        'error.type': 'MODEL_QUOTA',
        'gen_ai.response.finish_reasons': ['STOP'],
        'inquest.cost.usd': 0.5,
      },
    }),
  ];
  expect(spans(interactionType, call)).toEqual(spansOfCall);
  const old = { attemptTimes: [], provider: null, modelVersion: null, tokens: null, costUsd: null };
  const { 'gen_ai.provider.name': _, ...named } = first;
  expect(
    spans(interactionType, sampleInteraction({ ...old, finishReason: null, durationMs: 1_000 })),
  ).toEqual([
    span({
      ...shared,
      spanId: id('attempt', 'a', 0),
      attributes: { ...named, 'inquest.attempt': 1, 'inquest.attempts': 1 },
    }),
  ]);
});

it('documents of a commit give spans if their type has some and they are written', () => {
  const path = paths.session(sessionId);
  const session = sampleSession();
  const unmarked = { ...sessionType, name: 'another' };
  expect(
    listSpanDocuments([
      putDocument(path, sessionType, session),
      putDocument(path, unmarked, session),
      deleteDocument(path, sessionType),
    ]),
  ).toEqual([{ type: sessionType.name, id: sessionId, value: session }]);
});

it('a session starts when it was started, not when its alert was deferred, and an open one has no span', () => {
  const ended = { status: 'completed', endedAt: later(9_000), createdAt: SAMPLE_TIME } as const;
  const deferral = { ...sampleSession().deferral, startedAt: later(5_000) } as never;
  expect(spans(sessionType, sampleSession({ ...ended, deferral }))).toMatchObject([
    { startedAt: later(5_000) },
  ]);
  expect(spans(sessionType, sampleSession({ ...ended, deferral: null }))).toMatchObject([
    { startedAt: SAMPLE_TIME },
  ]);
  expect(spans(sessionType, sampleSession({ ...ended, status: 'deferred' }))).toEqual([]);
});

it('a stage that did not complete has its status as its error', () => {
  const stage = (status: never) => spans(stageType, sampleStage({ status, endedAt: later(1) }))[0]?.error;
  expect([stage('completed' as never), stage('timed_out' as never)]).toEqual([undefined, 'timed_out']);
});

it('tokens of thinking are output tokens, and only the last attempt has tokens, cost and the failure of the call', () => {
  const attemptTimes = [
    { startedMs: 0, endedMs: 400 },
    { startedMs: 500, endedMs: 1_800 },
  ];
  const attemptErrors = ['MODEL_RATE_LIMITED: too many requests'];
  const call = sampleInteraction({ attempts: 2, attemptTimes, attemptErrors });
  const [first, last] = spans(interactionType, call);
  expect(first).toMatchObject({ error: 'MODEL_RATE_LIMITED', startedAt: SAMPLE_TIME, endedAt: later(400) });
  expect(first?.attributes).not.toHaveProperty('gen_ai.usage.output_tokens');
  expect(first?.attributes).not.toHaveProperty('inquest.cost.usd');
  expect(last).toMatchObject({
    startedAt: later(500),
    endedAt: later(1_800),
    attributes: {
      'gen_ai.usage.output_tokens': 60,
      'gen_ai.usage.reasoning.output_tokens': 20,
      'inquest.attempts': 2,
    },
  });
  expect(last).not.toHaveProperty('error');
  const metrics = measureSpans(spans(interactionType, call)).map(({ metric }) => metric);
  expect(metrics.filter((metric) => metric === 'gen_ai.client.inference.duration')).toHaveLength(2);
  expect(metrics.filter((metric) => metric.startsWith('inquest.cost'))).toEqual(['inquest.cost.usd']);
});

it.each([
  ['that answered', {}, {}, [undefined, undefined]],
  ['that failed', { isError: true }, {}, ['tool_error', 'tool_error']],
  ['that timed out', { isError: true }, { status: 'timed_out' }, ['timeout', 'timeout']],
  ['without an answer', { isError: true, durationMs: null }, { status: 'failed' }, ['no_answer']],
  ['of a skill', { toolName: 'skills.full-disk' }, {}, [undefined]],
  ['of a tool of Inquest', { toolName: 'read_result' }, {}, [undefined]],
])(
  'the call of a tool %s has the error of its outcome, and a request only if a server got it',
  (_, metadata, changes, errors) => {
    const found = spans(timelineEventType, result(metadata, changes));
    expect(found.map(({ error }) => error)).toEqual(errors);
    expect(found.map(({ kind }) => kind)).toEqual(['internal', 'client'].slice(0, errors.length));
  },
);

it('names and contents are cut: a model and a tool write them', () => {
  const long = result({ toolName: `a.${'x'.repeat(9_000)}` }, { content: 'é'.repeat(9_000) });
  const [tool, request] = spans(timelineEventType, long, 'masked');
  for (const name of [tool?.name, request?.name]) expect(name?.length).toBeLessThan(220);
  expect(Buffer.byteLength(String(tool?.attributes['gen_ai.tool.call.result']))).toBeLessThan(8_300);
  expect(spans(timelineEventType, long)[0]?.attributes).not.toHaveProperty('gen_ai.tool.call.result');
  const ended = sampleExecution({ status: 'completed', endedAt: later(1), finalAnalysis: 'é'.repeat(9_000) });
  const [agent] = spans(executionType, ended, 'masked');
  expect(Buffer.byteLength(String(agent?.attributes['gen_ai.output.messages']))).toBeLessThan(8_400);
});

it('a value that equals the bound of a bucket is in it', () => {
  const [series] = addMeasurements(
    [],
    [{ metric: 'mcp.client.operation.duration', attributes: {}, value: 0.05 }],
  );
  expect(series?.counts[0]).toBe(1);
});

it('the trace context of a request names its own span, and whether it is sampled', () => {
  const event = sampleEvent('tool_result');
  const request = spans(timelineEventType, result({}))[1];
  const context = (isSampled: boolean) =>
    traceparentOfCall({ ...event, executionId: event.executionId ?? '' }, event.sequenceNumber, isSampled);
  expect(context(true)).toBe(`00-${request?.traceId}-${request?.spanId}-01`);
  expect(context(false)).toBe(`00-${request?.traceId}-${request?.spanId}-00`);
});
