// The metrics in the text format of Prometheus, version 0.0.4.

import type { Metric, MetricPoint } from '../../core/contract/telemetry.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { openTotals } from './countEnded.ts';
import { snapshotMetrics } from './metrics.ts';
import { readGauges } from './readGauges.ts';

/** The stored totals and the current gauges as text. @throws as the store. */
export async function prometheusText(deps: Pick<StateDeps, 'store' | 'clock'>): Promise<string> {
  const at = deps.clock.now();
  const { totals } = await openTotals(deps.store, at);
  return formatMetrics(snapshotMetrics(totals, await readGauges(deps), at).metrics);
}

/** Metrics as text. Those without points have only their type. */
function formatMetrics(metrics: readonly Metric[]): string {
  return metrics.flatMap((metric) => [...printMetricLines(metric)]).join('');
}

function* printMetricLines({ points, kind, bounds, description, ...metric }: Metric): Generator<string> {
  const name = formatPrometheusName(metric.name, metric.unit, kind);
  yield `# HELP ${name} ${description}\n# TYPE ${name} ${kind}\n`;
  for (const { attributes, value, counts = [] } of points) {
    if (kind !== 'histogram') {
      yield `${name}${formatPrometheusLabels(attributes)} ${value}\n`;
      continue;
    }
    let below = 0;
    for (const [index, count] of counts.entries()) {
      below += count;
      yield `${name}_bucket${formatPrometheusLabels({ ...attributes, le: String(bounds[index] ?? '+Inf') })} ${below}\n`;
    }
    yield `${name}_sum${formatPrometheusLabels(attributes)} ${value}\n${name}_count${formatPrometheusLabels(attributes)} ${below}\n`;
  }
}

/** As OpenTelemetry's rules for Prometheus name it: with the unit, and `_total` for a counter. */
function formatPrometheusName(name: string, unit: string, kind: Metric['kind']): string {
  return `${name.replaceAll(/\W/g, '_')}${unit === 's' ? '_seconds' : ''}${kind === 'counter' ? '_total' : ''}`;
}

function formatPrometheusLabels(attributes: MetricPoint['attributes']): string {
  const labels = Object.entries(attributes).map(([name, value]) => {
    const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
    return `${name.replaceAll(/\W/g, '_')}="${escaped}"`;
  });
  return labels.length === 0 ? '' : `{${labels.join(',')}}`;
}
