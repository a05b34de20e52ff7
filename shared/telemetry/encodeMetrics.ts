// Metrics as the body of an OTLP request. Numbers of fields are those of `metrics.proto`.

import type { Metric, MetricPoint, MetricSnapshot } from '../core/contract/telemetry.ts';
import { encodeRequest, type OtlpWriter, type ResourceAttributes } from './otlpWriter.ts';

/** `AGGREGATION_TEMPORALITY_CUMULATIVE` */
const CUMULATIVE = 2;
/** The field of `Metric` that holds the points. */
const KINDS = { gauge: 5, counter: 7, histogram: 9 } as const;

/** Encodes metrics of one resource. Those without points are left out. */
export function encodeMetrics(
  resource: ResourceAttributes,
  { metrics, ...times }: MetricSnapshot,
): Uint8Array {
  return encodeRequest(resource, (writer) => {
    for (const metric of metrics) {
      if (metric.points.length > 0) writer.message(2, () => writeMetric(metric, times, writer));
    }
  });
}

type Times = Pick<MetricSnapshot, 'startedAt' | 'at'>;

function writeMetric(
  { name, description, unit, kind, bounds, points }: Metric,
  times: Times,
  writer: OtlpWriter,
): void {
  writer.text(1, name);
  writer.text(2, description);
  writer.text(3, unit);
  writer.message(KINDS[kind], () => {
    for (const point of points) {
      writer.message(1, () => {
        if (kind !== 'gauge') writer.time(2, times.startedAt);
        writer.time(3, times.at);
        if (kind === 'histogram') writeBuckets(point, bounds, writer);
        else writer.double(4, point.value);
        writer.attributes(kind === 'histogram' ? 9 : 7, point.attributes);
      });
    }
    if (kind !== 'gauge') writer.integer(2, CUMULATIVE);
    // A counter is monotonic.
    if (kind === 'counter') writer.integer(3, 1);
  });
}

function writeBuckets(
  { value, counts = [] }: MetricPoint,
  bounds: readonly number[],
  writer: OtlpWriter,
): void {
  writer.fixed64(4, BigInt(counts.reduce((sum, count) => sum + count, 0)));
  writer.double(5, value);
  writer.packed(6, 'fixed64', counts);
  writer.packed(7, 'double', bounds);
}
