// Spans as the body of an OTLP request: protobuf, by OpenTelemetry's own serializer.

import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer/build/src/trace/protobuf/trace.js';
import type { Attributes, Span } from '../contract/telemetry.ts';

type ReadableSpan = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number];
type SpanContext = ReturnType<ReadableSpan['spanContext']>;

const SAMPLED = 1;
/** `SpanKind` and `SpanStatusCode` of OpenTelemetry's API, which only contains them as run-time values. */
const KINDS = { internal: 0, client: 2 } as const;
const STATUS = { unset: 0, error: 2 } as const;

/** Attributes of the process that exports: `service.name` and the like. */
export type ResourceAttributes = Record<string, string>;

/** Returns a function that encodes spans of one resource. */
export function spanEncoder(resourceAttributes: ResourceAttributes): (spans: readonly Span[]) => Uint8Array {
  const resource = { attributes: resourceAttributes } as unknown as ReadableSpan['resource'];
  return (spans) => {
    const body = ProtobufTraceSerializer.serializeRequest(spans.map((span) => readableSpan(span, resource)));
    if (body === undefined) throw new RangeError('spans that cannot be encoded');
    return body;
  };
}

function readableSpan(span: Span, resource: ReadableSpan['resource']): ReadableSpan {
  const { traceId, spanId, parentSpanId, startedAt, endedAt, error, link } = span;
  const context: SpanContext = { traceId, spanId, traceFlags: SAMPLED };
  const linked = link === undefined ? undefined : contextOf(link);
  return {
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => context,
    ...(parentSpanId !== undefined && { parentSpanContext: { ...context, spanId: parentSpanId } }),
    startTime: timeOf(startedAt),
    endTime: timeOf(endedAt),
    duration: timeOf(new Date(Math.max(0, endedAt.getTime() - startedAt.getTime()))),
    ended: true,
    status: error === undefined ? { code: STATUS.unset } : { code: STATUS.error, message: error },
    attributes: definedAttributes(span.attributes),
    links: linked === undefined ? [] : [{ context: linked }],
    events: span.events.map(({ name, at, attributes }) => ({
      name,
      time: timeOf(at),
      attributes: definedAttributes(attributes),
    })),
    resource,
    instrumentationScope: { name: 'inquest' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function contextOf(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? '0', 16), isRemote: true };
}

/** Seconds and nanoseconds since the epoch. */
export function timeOf(date: Date): [number, number] {
  const ms = date.getTime();
  const seconds = Math.floor(ms / 1000);
  return [seconds, (ms - seconds * 1000) * 1_000_000];
}

function definedAttributes(attributes: Attributes): ReadableSpan['attributes'] {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
