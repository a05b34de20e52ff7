// A receiver of OTLP over HTTP that decodes requests with the protobuf definitions of the OpenTelemetry
// project, as its own generator compiled them.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import definitions from 'otlp-definitions/build/src/generated/root.js';
import { onTestFinished } from 'vitest';

/** The part of the generated module that is used; its declaration leaves it out. */
interface Definitions {
  opentelemetry: {
    proto: {
      collector: {
        trace: { v1: { ExportTraceServiceRequest: MessageType; ExportTraceServiceResponse: MessageType } };
        metrics: { v1: { ExportMetricsServiceRequest: MessageType } };
      };
    };
  };
}
interface MessageType {
  decode(body: Uint8Array): object;
  encode(message: object): { finish(): Uint8Array };
  toObject(message: object, options: object): object;
}
const { trace, metrics: metric } = (definitions as unknown as Definitions).opentelemetry.proto.collector;
const { ExportTraceServiceRequest, ExportTraceServiceResponse } = trace.v1;
const { ExportMetricsServiceRequest } = metric.v1;

/** A span as it was received. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** 1 internal, 3 client. */
  kind: number;
  startMs: number;
  endMs: number;
  /** 2: an error. */
  status: number;
  /** Of an error. */
  message: string;
  attributes: Record<string, unknown>;
  events: { name: string; atMs: number; attributes: Record<string, unknown> }[];
  links: string[];
}

/** A point of a metric as it was received. */
export interface ReceivedPoint {
  name: string;
  unit: string;
  kind: 'sum' | 'gauge' | 'histogram';
  /** Whether it is cumulative, and monotonic if it is a sum. */
  cumulative: boolean;
  startMs: number;
  timeMs: number;
  /** Of a histogram its sum. */
  value: number;
  count: number | undefined;
  buckets: number[] | undefined;
  bounds: number[] | undefined;
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

/** The answer to a request that rejects some of its spans. */
export const partialSuccess = (rejectedSpans: number, errorMessage: string): Uint8Array =>
  ExportTraceServiceResponse.encode({ partialSuccess: { rejectedSpans, errorMessage } }).finish();

/** A response with more than a status. */
interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: Uint8Array;
}

/** Starts a receiver that ends with the test. @param answer each response. Default: 200. */
export async function startOtlpReceiver(answer: () => number | 'hang' | Answer = () => 200) {
  const spans: ReceivedSpan[] = [];
  const exports: ReceivedPoint[][] = [];
  const requests: { path: string; headers: Record<string, unknown>; bytes: number }[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const answered = answer();
    const {
      status,
      headers = {},
      body: sent,
    } = typeof answered === 'object' ? answered : { status: answered };
    requests.push({ path: request.url ?? '', headers: request.headers, bytes: body.length });
    if (status === 'hang') return;
    if (status === 200 && request.url === '/v1/metrics') exports.push(decodeMetrics(body));
    else if (status === 200) spans.push(...decode(body));
    response.writeHead(status, headers).end(sent);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, exports, requests };
}

interface Value {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: number;
  doubleValue?: number;
  arrayValue?: { values: Value[] };
}
type KeyValues = { key: string; value: Value }[];
interface Decoded {
  resourceSpans: { scopeSpans: { spans: Record<string, unknown>[] }[] }[];
}

function decode(body: Uint8Array): ReceivedSpan[] {
  const message = ExportTraceServiceRequest.decode(body);
  const decoded = ExportTraceServiceRequest.toObject(message, { longs: Number, arrays: true }) as Decoded;
  return decoded.resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map(received)),
  );
}

const hex = (bytes: unknown): string => Buffer.from((bytes as Uint8Array | undefined) ?? []).toString('hex');

function received(span: Record<string, unknown>): ReceivedSpan {
  const events = (span.events ?? []) as { name: string; timeUnixNano: number; attributes: KeyValues }[];
  const status = (span.status ?? {}) as { code?: number; message?: string };
  return {
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: hex(span.parentSpanId),
    name: String(span.name),
    kind: Number(span.kind),
    startMs: Number(span.startTimeUnixNano) / 1e6,
    endMs: Number(span.endTimeUnixNano) / 1e6,
    status: status.code ?? 0,
    message: status.message ?? '',
    attributes: attributesOf(span.attributes as KeyValues),
    events: events.map(({ name, timeUnixNano, attributes }) => ({
      name,
      atMs: Number(timeUnixNano) / 1e6,
      attributes: attributesOf(attributes),
    })),
    links: ((span.links ?? []) as { traceId: unknown }[]).map(({ traceId }) => hex(traceId)),
  };
}

const attributesOf = (pairs: KeyValues): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, plainValue(value)]));

function plainValue({ arrayValue, ...value }: Value): unknown {
  return arrayValue === undefined ? Object.values(value)[0] : arrayValue.values.map(plainValue);
}

interface DecodedPoint {
  startTimeUnixNano?: number;
  timeUnixNano: number;
  asDouble?: number;
  sum?: number;
  count?: number;
  bucketCounts?: number[];
  explicitBounds?: number[];
  attributes: KeyValues;
}
interface DecodedMetric {
  name: string;
  unit: string;
  sum?: { dataPoints: DecodedPoint[]; aggregationTemporality: number; isMonotonic: boolean };
  gauge?: { dataPoints: DecodedPoint[] };
  histogram?: { dataPoints: DecodedPoint[]; aggregationTemporality: number };
}

function decodeMetrics(body: Uint8Array): ReceivedPoint[] {
  const decoded = ExportMetricsServiceRequest.toObject(ExportMetricsServiceRequest.decode(body), {
    longs: Number,
    arrays: true,
  }) as {
    resourceMetrics: { resource: { attributes: KeyValues }; scopeMetrics: { metrics: DecodedMetric[] }[] }[];
  };
  return decoded.resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap((metric) => pointsOf(metric, attributesOf(resource.attributes))),
    ),
  );
}

function pointsOf(
  { name, unit, ...data }: DecodedMetric,
  resource: Record<string, unknown>,
): ReceivedPoint[] {
  const kind = data.sum ? 'sum' : data.gauge ? 'gauge' : 'histogram';
  const cumulative =
    data.sum?.isMonotonic === true
      ? data.sum.aggregationTemporality === 2
      : data.histogram?.aggregationTemporality === 2;
  const points = (data.sum ?? data.gauge ?? data.histogram)?.dataPoints ?? [];
  return points.map((point) => ({
    name,
    unit,
    kind,
    cumulative,
    resource,
    startMs: Math.round(Number(point.startTimeUnixNano ?? 0) / 1e6),
    timeMs: Math.round(Number(point.timeUnixNano) / 1e6),
    value: point.asDouble ?? point.sum ?? 0,
    count: point.count,
    buckets: kind === 'histogram' ? point.bucketCounts : undefined,
    bounds: kind === 'histogram' ? point.explicitBounds : undefined,
    attributes: attributesOf(point.attributes),
  }));
}
