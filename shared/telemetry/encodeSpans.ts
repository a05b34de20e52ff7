// Spans as the body of an OTLP request. Numbers of fields are those of `trace.proto`.

import type { Span } from '../core/contract/telemetry.ts';
import { encodeRequest, type OtlpWriter, type ResourceAttributes } from './otlpWriter.ts';

const KINDS = { internal: 1, client: 3 } as const;
const STATUS_ERROR = 2;
const SAMPLED = 0x1;
/** Whether the context comes from another process is known; it does. */
const KNOWN_ORIGIN = 0x100;
const REMOTE = 0x200;

/** Encodes spans of one resource. */
export function encodeSpans(resource: ResourceAttributes, spans: readonly Span[]): Uint8Array {
  return encodeRequest(resource, (writer) => {
    for (const span of spans) writer.message(2, () => writeSpan(span, writer));
  });
}

function writeSpan(span: Span, writer: OtlpWriter): void {
  const { traceId, spanId, parentSpanId, name, kind, startedAt, endedAt, attributes, events, link, error } =
    span;
  writer.hex(1, traceId);
  writer.hex(2, spanId);
  if (parentSpanId !== undefined) writer.hex(4, parentSpanId);
  writer.text(5, name);
  writer.integer(6, KINDS[kind]);
  writer.time(7, startedAt);
  writer.time(8, endedAt);
  writer.attributes(9, attributes);
  for (const event of events) {
    writer.message(11, () => {
      writer.time(1, event.at);
      writer.text(2, event.name);
      writer.attributes(3, event.attributes);
    });
  }
  if (link !== undefined) writeLink(link, writer);
  if (error !== undefined) {
    writer.message(15, () => {
      writer.text(2, error);
      writer.integer(3, STATUS_ERROR);
    });
  }
  writer.fixed32(16, SAMPLED | KNOWN_ORIGIN);
}

/** @param traceparent one that cannot be read has no link. */
function writeLink(traceparent: string, writer: OtlpWriter): void {
  const [, traceId, spanId, flags] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return;
  writer.message(13, () => {
    writer.hex(1, traceId);
    writer.hex(2, spanId);
    writer.fixed32(6, Number.parseInt(flags ?? '0', 16) | KNOWN_ORIGIN | REMOTE);
  });
}
