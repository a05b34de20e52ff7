import { expect, it } from 'vitest';
import { SAMPLE_TIME, sampleExecution, sampleSession, sampleVerdict } from '../../../test/support/samples.ts';
import type { Span } from '../../core/contract/telemetry.ts';
import { NO_PARTS, withPart } from '../../core/schema/parts.ts';
import { verdictPart } from '../../evidence/schema/verdict.ts';
import { edgesPart } from '../../kits/topology/topology.ts';
import {
  addMeasurements,
  MAX_SERIES,
  measureSpans,
  sessionMeasurement,
  snapshotMetrics,
  topologyMeasurements,
} from './metrics.ts';

/** The metrics of a span of two seconds, each as its name, its value and the values of its attributes. */
const measure = (attributes: object, ms = 2_000) => {
  const endedAt = new Date(SAMPLE_TIME.getTime() + ms);
  const span = { attributes, startedAt: SAMPLE_TIME, endedAt } as unknown as Span;
  return measureSpans([span]).map(({ metric, value, attributes: own }) =>
    [metric, value, ...Object.values(own)].join(' '),
  );
};
const model = {
  'gen_ai.operation.name': 'generate_content',
  'gen_ai.provider.name': 'gcp.gemini',
  'gen_ai.request.model': 'flash',
};
const FLASH = 'generate_content gcp.gemini flash';
const call = (name: string, error?: string) => ({
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': name,
  'error.type': error,
});

it.each<[object, string[]]>([
  [
    {
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': 'default',
      'inquest.session.status': 'failed',
      'error.type': 'MODEL_QUOTA',
    },
    ['gen_ai.invoke_workflow.duration 2 default failed MODEL_QUOTA'],
  ],
  [
    { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'logs' },
    ['gen_ai.invoke_agent.duration 2 logs'],
  ],
  [
    { ...call('journal.order', 'timeout'), 'mcp.method.name': 'tools/call', 'inquest.server': 'journal' },
    ['mcp.client.operation.duration 2 tools/call journal timeout'],
  ],
  [call('journal.order'), ['inquest.calls 1 journal ok']],
  [call('journal.order', 'tool_error'), ['inquest.calls 1 journal tool_error']],
  [call('anything.order', 'no_answer'), ['inquest.calls 1 none no_answer']],
  [call('search'), ['inquest.calls 1 built_in ok']],
  [{ ...model, 'error.type': 'MODEL_QUOTA' }, [`gen_ai.client.inference.duration 2 ${FLASH} MODEL_QUOTA`]],
  [
    {
      ...model,
      'inquest.attempts': 2,
      'gen_ai.usage.input_tokens': 5,
      'gen_ai.usage.output_tokens': 0,
      'gen_ai.usage.reasoning.output_tokens': 3,
    },
    [
      `gen_ai.client.inference.duration 2 ${FLASH}`,
      `gen_ai.client.inference.usage.input_tokens 5 ${FLASH} unknown`,
      `gen_ai.client.inference.usage.reasoning.output_tokens 3 ${FLASH} unknown`,
      `inquest.cost.unpriced_calls 1 ${FLASH}`,
    ],
  ],
  [
    { ...model, 'inquest.attempts': 1, 'inquest.cost.usd': 0 },
    [`gen_ai.client.inference.duration 2 ${FLASH}`, `inquest.cost.usd 0 ${FLASH}`],
  ],
  [{ 'inquest.stage.kind': 'investigation' }, []],
])('a span with %j is measured', (attributes, expected) => {
  expect(measure(attributes)).toEqual(expected);
});

it('durations are never negative, and values of attributes are cut', () => {
  const agent = (name: string) => ({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name });
  expect(measure(agent('x'.repeat(121)), -5)).toEqual([`gen_ai.invoke_agent.duration 0 ${'x'.repeat(120)}`]);
});

it('a session is counted with its verdict', () => {
  const verdict = withPart(verdictPart, NO_PARTS, sampleVerdict('confirmed'));
  expect([sessionMeasurement(sampleSession(verdict)), sessionMeasurement(sampleSession())]).toMatchObject([
    {
      value: 1,
      attributes: { 'inquest.session.verdict': 'confirmed', 'inquest.session.status': 'in_progress' },
    },
    {
      value: 1,
      attributes: { 'inquest.session.verdict': 'not_checked', 'inquest.session.kind': 'investigation' },
    },
  ]);
});

it('edges of an execution are counted by their class, and those without room', () => {
  const edge = {
    ...{
      from: 'k8s:-/shop/-/a',
      to: 'k8s:-/shop/-/b',
      how: 'calls' as const,
      line: null,
      event: 1,
      count: 3,
    },
    at: SAMPLE_TIME,
  };
  const edges = (['seen', 'stated', 'seen'] as const).map((by) => ({ ...edge, by }));
  const { parts } = withPart(edgesPart, NO_PARTS, { edges, refused: 4 });
  expect(topologyMeasurements(sampleExecution({ parts }))).toEqual([
    { metric: 'inquest.topology.edges', value: 2, attributes: { 'inquest.topology.by': 'seen' } },
    { metric: 'inquest.topology.edges', value: 1, attributes: { 'inquest.topology.by': 'stated' } },
    { metric: 'inquest.topology.refused', value: 4, attributes: {} },
  ]);
  expect(topologyMeasurements(sampleExecution())).toEqual([]);
});

it('series are added by their attributes in any order, and further ones are summed in one', () => {
  const calls = (value: number, attributes: Record<string, string>) => ({
    metric: 'inquest.calls',
    value,
    attributes,
  });
  const sums = addMeasurements([], [calls(1, { a: '1', b: '2' }), calls(2, { b: '2', a: '1' })]);
  expect(sums).toEqual([{ ...calls(3, { a: '1', b: '2' }), counts: [] }]);
  const many = Array.from({ length: MAX_SERIES + 2 }, (_, index) => calls(1, { a: String(index) }));
  const all = addMeasurements([], many);
  expect(all).toHaveLength(MAX_SERIES + 1);
  expect(all.at(-1)).toEqual({ ...calls(2, { 'otel.metric.overflow': 'true' }), counts: [] });
  // A known series is still counted alone, also beside those of other metrics.
  const other = { metric: 'inquest.sessions', attributes: { a: '0' }, value: 1 };
  const again = addMeasurements(all, [calls(0.1, { a: '0' }), calls(0.2, { a: '0' }), other]);
  expect([again[0]?.value, again.at(-1)]).toEqual([1.3, { ...other, counts: [] }]);
});

it('a value is counted in the first bucket that holds it, else in the last', () => {
  const duration = (value: number) => ({ metric: 'mcp.client.operation.duration', attributes: {}, value });
  const [series] = addMeasurements([], [duration(0.05), duration(0.06), duration(320), duration(321)]);
  expect(series).toMatchObject({ value: 641.11, counts: [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1] });
});

it('an export has every metric, with its points or without', () => {
  const point = { metric: 'inquest.calls', attributes: {}, value: 1 };
  const gauge = { metric: 'inquest.approvals.waiting', attributes: {}, value: 2 };
  const snapshot = snapshotMetrics(
    { startedAt: SAMPLE_TIME, series: [{ ...point, counts: [] }] },
    [gauge],
    SAMPLE_TIME,
  );
  const points = snapshot.metrics.filter((metric) => metric.points.length > 0);
  expect(points.map(({ name, kind, points: all }) => [name, kind, all])).toEqual([
    ['inquest.calls', 'counter', [{ ...point, counts: [] }]],
    ['inquest.approvals.waiting', 'gauge', [gauge]],
  ]);
  expect(snapshot.metrics).toHaveLength(18);
});
