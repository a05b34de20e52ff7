// The metrics of an installation: the finished spans, ended sessions and messages add to them. Pure. A value
// equals the duration or the count of its span. Names without `inquest.` are those of the registry of
// OpenTelemetry.

import type { Metric, MetricSnapshot, Span } from '../../core/contract/telemetry.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { readPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { NOT_CHECKED, verdictPart } from '../../evidence/schema/verdict.ts';
import type { Delivery } from '../../kits/deliveries/delivery.ts';
import { edgesPart } from '../../kits/topology/topology.ts';
import type { MetricTotals } from './metricTotals.ts';
import { NO_ANSWER } from './spansOf.ts';

/** Maximum combinations of attributes of a metric; further ones are summed in one, as OpenTelemetry does. */
export const MAX_SERIES = 100;
/** Longest value of an attribute, in characters: names are shorter. */
const MAX_VALUE_CHARACTERS = 120;
const OVERFLOW = { 'otel.metric.overflow': 'true' };
/** Sums have no meaningless digits: dollars are known to a billionth. */
const FRACTIONS = 1e9;

/** Upper bounds of buckets, in seconds. They never change for a metric: stored counts belong to them. */
const CALL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320];
const RUN_SECONDS = [5, 10, 30, 60, 120, 300, 600, 1_200, 2_400, 3_600, 7_200, 14_400, 86_400];

const USAGE = 'gen_ai.client.inference.usage';
type Definition = Omit<Metric, 'name' | 'points'>;
const counter = (unit: string, description: string): Definition => ({
  kind: 'counter',
  unit,
  description,
  bounds: [],
});
const gauge = (unit: string, description: string): Definition => ({
  kind: 'gauge',
  unit,
  description,
  bounds: [],
});
const histogram = (bounds: number[], description: string): Definition => ({
  kind: 'histogram',
  unit: 's',
  description,
  bounds,
});

/** Every metric. The order is that of the export. */
export const METRICS = {
  'inquest.sessions': counter('{session}', 'Sessions that ended.'),
  'gen_ai.invoke_workflow.duration': histogram(RUN_SECONDS, 'Duration of sessions.'),
  'gen_ai.invoke_agent.duration': histogram(RUN_SECONDS, 'Duration of the runs of agents, with their waits.'),
  'gen_ai.client.inference.duration': histogram(CALL_SECONDS, 'Duration of the attempts of model calls.'),
  [`${USAGE}.input_tokens`]: counter('{token}', 'Input tokens, cached ones included.'),
  [`${USAGE}.output_tokens`]: counter('{token}', 'Output tokens, those of reasoning included.'),
  [`${USAGE}.cache_read.input_tokens`]: counter('{token}', 'Input tokens that were cached.'),
  [`${USAGE}.reasoning.output_tokens`]: counter('{token}', 'Output tokens of reasoning.'),
  'inquest.cost.usd': counter('{USD}', 'Cost of model calls with a known price.'),
  'inquest.cost.unpriced_calls': counter('{call}', 'Model calls whose cost is unknown.'),
  'inquest.asked_twice': counter(
    '{question}',
    'Questions in the background that were lost, and asked again.',
  ),
  'inquest.calls': counter('{call}', 'Calls of tools.'),
  'mcp.client.operation.duration': histogram(CALL_SECONDS, 'Duration of requests to MCP servers.'),
  'inquest.deliveries': counter('{message}', 'Messages to destinations that were sent or given up.'),
  'inquest.deliveries.open': gauge('{message}', 'Messages to destinations that are still to be sent.'),
  'inquest.topology.edges': counter('{edge}', 'Edges between workloads that executions learned.'),
  'inquest.topology.refused': counter('{edge}', 'Edges that had no room in their execution.'),
  'inquest.approvals.waiting': gauge('{approval}', 'Calls that wait for a decision.'),
} as const satisfies Record<string, Definition>;

type MetricName = keyof typeof METRICS;

/** One value of a metric. */
export interface Measurement {
  metric: string;
  attributes: Record<string, string>;
  value: number;
}

const measured = (metric: MetricName, value: number, attributes: Record<string, unknown>): Measurement => ({
  metric,
  value,
  attributes: Object.fromEntries(
    Object.entries(attributes)
      .filter(([, one]) => one !== undefined)
      .map(([name, one]) => [name, String(one).slice(0, MAX_VALUE_CHARACTERS)]),
  ),
});

/** The values of finished spans. @param spans each once. */
export function measureSpans(spans: readonly Span[]): Measurement[] {
  return spans.flatMap((span) => {
    const { attributes, startedAt, endedAt } = span;
    const seconds = Math.max(0, endedAt.getTime() - startedAt.getTime()) / 1000;
    const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, attributes[name]]));
    if (attributes['mcp.method.name'] !== undefined)
      return measured(
        'mcp.client.operation.duration',
        seconds,
        named('mcp.method.name', 'inquest.server', 'error.type'),
      );
    switch (attributes['gen_ai.operation.name']) {
      case 'invoke_workflow':
        return measured(
          'gen_ai.invoke_workflow.duration',
          seconds,
          named('gen_ai.workflow.name', 'inquest.session.status', 'error.type'),
        );
      case 'invoke_agent':
        return measured('gen_ai.invoke_agent.duration', seconds, named('gen_ai.agent.name', 'error.type'));
      case 'generate_content':
        return attemptMeasurements(span, seconds);
      case 'execute_tool': {
        const [server, ...rest] = String(attributes['gen_ai.tool.name']).split('.');
        const outcome = attributes['error.type'] ?? 'ok';
        // A model can name any server, so that only those that answered are counted by their name.
        const answered = rest.length === 0 ? 'built_in' : server;
        return measured('inquest.calls', 1, {
          'inquest.server': outcome === NO_ANSWER ? 'none' : answered,
          'inquest.outcome': outcome,
        });
      }
      default:
        return [];
    }
  });
}

function attemptMeasurements({ attributes }: Span, seconds: number): Measurement[] {
  const model = {
    'gen_ai.operation.name': attributes['gen_ai.operation.name'],
    'gen_ai.provider.name': attributes['gen_ai.provider.name'],
    'gen_ai.request.model': attributes['gen_ai.request.model'],
  };
  const duration = measured('gen_ai.client.inference.duration', seconds, {
    ...model,
    'error.type': attributes['error.type'],
  });
  // Only the last attempt of a call has tokens and a cost.
  if (attributes['inquest.attempts'] === undefined) return [duration];
  const tokens = ['input_tokens', 'output_tokens', 'cache_read.input_tokens', 'reasoning.output_tokens'];
  const cost = attributes['inquest.cost.usd'];
  const askedTwice = Number(attributes['inquest.asked_twice'] ?? 0);
  return [
    duration,
    ...tokens.flatMap((type) => {
      const count = Number(attributes[`gen_ai.usage.${type}`] ?? 0);
      // The provider names no modality of tokens.
      const attributesOfTokens = { ...model, 'gen_ai.token.modality': 'unknown' };
      return count > 0 ? measured(`${USAGE}.${type}` as MetricName, count, attributesOfTokens) : [];
    }),
    cost === undefined
      ? measured('inquest.cost.unpriced_calls', 1, model)
      : measured('inquest.cost.usd', Number(cost), model),
    ...(askedTwice > 0 ? [measured('inquest.asked_twice', askedTwice, model)] : []),
  ];
}

/** The value of an ended session. */
export function sessionMeasurement(session: Session): Measurement {
  const { status, kind } = session;
  return measured('inquest.sessions', 1, {
    'inquest.session.status': status,
    'inquest.session.verdict': readPart(verdictPart, session)?.value ?? NOT_CHECKED,
    'inquest.session.kind': kind,
  });
}

/** The values of the edges that an ended execution noted. */
export function topologyMeasurements(execution: Execution): Measurement[] {
  const { edges = [], refused = 0 } = readPart(edgesPart, execution) ?? {};
  const learned = Map.groupBy(edges, ({ by }) => by);
  return [
    ...[...learned].map(([by, { length }]) =>
      measured('inquest.topology.edges', length, { 'inquest.topology.by': by }),
    ),
    ...(refused > 0 ? [measured('inquest.topology.refused', refused, {})] : []),
  ];
}

/** The value of a message that was sent or given up. */
export function deliveryMeasurement({ destination, state }: Delivery): Measurement {
  return measured('inquest.deliveries', 1, deliveryAttributes(destination, state));
}

/** The attributes of messages. */
export function deliveryAttributes(destination: string, state: string): Record<string, string> {
  return { 'inquest.destination': destination, 'inquest.delivery.state': state };
}

type Series = MetricTotals['series'];

/** The totals with more values: at most `MAX_SERIES` combinations and one for the rest. */
export function addMeasurements(series: Series, measurements: readonly Measurement[]): Series {
  const sums = new Map(series.map((one) => [formatSeriesKey(one), one]));
  const sizes = new Map<string, number>();
  for (const { metric } of series) sizes.set(metric, (sizes.get(metric) ?? 0) + 1);
  for (const { metric, attributes: given, value } of measurements) {
    const { bounds, kind } = METRICS[metric as MetricName];
    const isKnown = sums.has(formatSeriesKey({ metric, attributes: given }));
    const size = sizes.get(metric) ?? 0;
    const attributes = isKnown || size < MAX_SERIES ? given : OVERFLOW;
    const key = formatSeriesKey({ metric, attributes });
    const known = sums.get(key);
    if (known === undefined) sizes.set(metric, size + 1);
    const empty = kind === 'histogram' ? Array.from({ length: bounds.length + 1 }, () => 0) : [];
    const bucket = bounds.findIndex((bound) => value <= bound);
    const last = bucket < 0 ? bounds.length : bucket;
    sums.set(key, {
      metric,
      attributes,
      value: Math.round(((known?.value ?? 0) + value) * FRACTIONS) / FRACTIONS,
      counts: (known?.counts ?? empty).map((count, index) => (index === last ? count + 1 : count)),
    });
  }
  return [...sums.values()];
}

const formatSeriesKey = ({ metric, attributes }: Pick<Series[number], 'metric' | 'attributes'>): string =>
  JSON.stringify([metric, Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1))]);

/** All metrics as they are exported. @param gauges their current values. */
export function snapshotMetrics(
  { startedAt, series }: Pick<MetricTotals, 'startedAt' | 'series'>,
  gauges: readonly Measurement[],
  at: Date,
): MetricSnapshot {
  const points = Map.groupBy([...series, ...gauges], ({ metric }) => metric);
  return {
    startedAt,
    at,
    metrics: Object.entries(METRICS).map(([name, metric]) => ({
      name,
      ...metric,
      points: points.get(name) ?? [],
    })),
  };
}
