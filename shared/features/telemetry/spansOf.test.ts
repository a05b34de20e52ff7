// The spans of single documents, which must not depend on any other document.

import { expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleEvent,
  sampleExecution,
  sampleInteraction,
  sampleSession,
  sampleStage,
} from '../../../test/support/samples.ts';
import { traceparentOfCall } from '../../core/kernel/session/spanIds.ts';
import {
  executionType,
  interactionType,
  sessionType,
  stageType,
  timelineEventType,
} from '../../lists/documents.ts';
import { addMeasurements, measureSpans } from './metrics.ts';
import { buildSpans, type StoredDocument } from './spansOf.ts';

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
