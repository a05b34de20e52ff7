// Metrics as the body of an OTLP request: protobuf, with the writer of OpenTelemetry's serializer. Its own serializer of metrics
// needs the SDK, which would be most of the code of a function. Numbers are those of the fields in `metrics.proto`.

import {
  writeAttributes,
  writeHrTimeAsFixed64,
} from '@opentelemetry/otlp-transformer/build/src/common/protobuf/common-serializer.js';
import { ProtobufWriter } from '@opentelemetry/otlp-transformer/build/src/common/protobuf/protobuf-writer.js';
import type { Metric, MetricPoint, MetricSnapshot } from '../contract/telemetry.ts';
import { type ResourceAttributes, timeOf } from './encodeSpans.ts';

const LENGTH_DELIMITED = 2;
const FIXED_64 = 1;
const VARINT = 0;
/** `AGGREGATION_TEMPORALITY_CUMULATIVE` */
const CUMULATIVE = 2;
/** The field of `Metric` that holds the points. */
const KINDS = { gauge: 5, counter: 7, histogram: 9 } as const;

/** Encodes metrics of one resource. Those without points are left out. */
export function encodeMetrics(
  resource: ResourceAttributes,
  { metrics, ...times }: MetricSnapshot,
): Uint8Array {
  const writer = new ProtobufWriter();
  const message = (field: number, write: () => void): void => {
    writer.writeTag(field, LENGTH_DELIMITED);
    const start = writer.startLengthDelimited();
    const from = writer.pos;
    write();
    writer.finishLengthDelimited(start, writer.pos - from);
  };
  const text = (field: number, value: string): void => {
    writer.writeTag(field, LENGTH_DELIMITED);
    writer.writeString(value);
  };
  const encoder = { writer, message, text, ...times };
  message(1, () => {
    message(1, () => writeAttributes(writer, resource, 1));
    message(2, () => {
      message(1, () => text(1, 'inquest'));
      for (const metric of metrics)
        if (metric.points.length > 0) message(2, () => writeMetric(metric, encoder));
    });
  });
  return writer.finish();
}

interface Encoder extends Omit<MetricSnapshot, 'metrics'> {
  writer: ProtobufWriter;
  message(field: number, write: () => void): void;
  text(field: number, value: string): void;
}

function writeMetric({ name, description, unit, kind, bounds, points }: Metric, encoder: Encoder): void {
  const { writer, message, text } = encoder;
  text(1, name);
  text(2, description);
  text(3, unit);
  message(KINDS[kind], () => {
    for (const point of points) {
      message(1, () =>
        kind === 'histogram' ? writeBuckets(point, bounds, encoder) : writeValue(point, kind, encoder),
      );
    }
    if (kind === 'gauge') return;
    writer.writeTag(2, VARINT);
    writer.writeVarint(CUMULATIVE);
    if (kind === 'histogram') return;
    // is_monotonic
    writer.writeTag(3, VARINT);
    writer.writeVarint(1);
  });
}

function writeValue({ attributes, value }: MetricPoint, kind: Metric['kind'], encoder: Encoder): void {
  const { writer } = encoder;
  if (kind !== 'gauge') writeTime(2, encoder.startedAt, writer);
  writeTime(3, encoder.at, writer);
  writer.writeTag(4, FIXED_64);
  writer.writeDouble(value);
  writeAttributes(writer, attributes, 7);
}

function writeBuckets(
  { attributes, value, counts = [] }: MetricPoint,
  bounds: readonly number[],
  encoder: Encoder,
) {
  const { writer, message } = encoder;
  const integer = (count: number) => writer.writeFixed64(count >>> 0, Math.floor(count / 2 ** 32));
  writeTime(2, encoder.startedAt, writer);
  writeTime(3, encoder.at, writer);
  writer.writeTag(4, FIXED_64);
  integer(counts.reduce((sum, count) => sum + count, 0));
  writer.writeTag(5, FIXED_64);
  writer.writeDouble(value);
  message(6, () => {
    for (const count of counts) integer(count);
  });
  message(7, () => {
    for (const bound of bounds) writer.writeDouble(bound);
  });
  writeAttributes(writer, attributes, 9);
}

function writeTime(field: number, time: Date, writer: ProtobufWriter): void {
  writer.writeTag(field, FIXED_64);
  writeHrTimeAsFixed64(writer, timeOf(time));
}
