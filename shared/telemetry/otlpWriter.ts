// Writes messages of OTLP in protobuf, with the writer that the clients of Google contain anyway.
// OpenTelemetry's serializer would be half of the code of telemetry. Numbers of fields are those of
// `common.proto` and `resource.proto`.

import protobuf from 'protobufjs/minimal.js';
import type { Attributes, AttributeValue } from '../core/contract/telemetry.ts';

const { Writer } = protobuf;

/** Attributes of the process that exports: `service.name` and the like. */
export type ResourceAttributes = Record<string, string>;

/** A message that is being written. Each method writes one field. */
export interface OtlpWriter {
  message(field: number, write: (inner: OtlpWriter) => void): void;
  /** Half a surrogate pair becomes U+FFFD: a receiver refuses a whole request with text that is no UTF-8. */
  text(field: number, value: string): void;
  /** @param value bytes in hexadecimal. */
  hex(field: number, value: string): void;
  integer(field: number, value: number): void;
  double(field: number, value: number): void;
  fixed32(field: number, value: number): void;
  fixed64(field: number, value: bigint): void;
  /** Nanoseconds since the epoch. */
  time(field: number, value: Date): void;
  /** A list without names of fields. */
  packed(field: number, kind: 'double' | 'fixed64', values: readonly number[]): void;
  /** A `KeyValue` for each attribute. Undefined values are omitted. */
  attributes(field: number, attributes: Attributes): void;
}

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;

/** The bytes of one message of all that `write` writes. */
function encode(write: (writer: OtlpWriter) => void): Uint8Array {
  const raw = Writer.create();
  const tag = (field: number, wireType: number) => raw.uint32((field << 3) | wireType);
  const bits = (value: bigint) => ({
    low: Number(value & 0xffffffffn),
    high: Number(value >> 32n),
    unsigned: true,
  });
  const writer: OtlpWriter = {
    message(field, writeInner) {
      tag(field, BYTES).fork();
      writeInner(writer);
      raw.ldelim();
    },
    text: (field, value) => tag(field, BYTES).string(value.toWellFormed()),
    hex: (field, value) => tag(field, BYTES).bytes(Buffer.from(value, 'hex')),
    integer: (field, value) => tag(field, VARINT).int64(value),
    double: (field, value) => tag(field, FIXED_64).double(value),
    fixed32: (field, value) => tag(field, FIXED_32).fixed32(value),
    fixed64: (field, value) => tag(field, FIXED_64).fixed64(bits(value) as never),
    time: (field, value) => writer.fixed64(field, BigInt(value.getTime()) * 1_000_000n),
    packed(field, kind, values) {
      tag(field, BYTES).fork();
      for (const value of values) {
        if (kind === 'double') raw.double(value);
        else raw.fixed64(value);
      }
      raw.ldelim();
    },
    attributes(field, attributes) {
      for (const [key, value] of Object.entries(attributes)) {
        if (value === undefined) continue;
        writer.message(field, () => {
          writer.text(1, key);
          writer.message(2, () => writeValue(value, writer));
        });
      }
    },
  };
  write(writer);
  return raw.finish();
}

/** The fields of an `AnyValue`. */
function writeValue(value: AttributeValue, writer: OtlpWriter): void {
  if (typeof value === 'string') writer.text(1, value);
  else if (typeof value === 'boolean') writer.integer(2, Number(value));
  else if (typeof value === 'number' && Number.isSafeInteger(value)) writer.integer(3, value);
  else if (typeof value === 'number') writer.double(4, value);
  else {
    writer.message(5, () => {
      for (const one of value) writer.message(1, () => writer.text(1, one));
    });
  }
}

/** A request with one resource and the scope of Inquest. @param writeAll writes spans or metrics, field 2. */
export function encodeRequest(
  resource: ResourceAttributes,
  writeAll: (writer: OtlpWriter) => void,
): Uint8Array {
  return encode((writer) =>
    writer.message(1, () => {
      writer.message(1, () => writer.attributes(1, resource));
      writer.message(2, () => {
        writer.message(1, () => writer.text(1, 'inquest'));
        writeAll(writer);
      });
    }),
  );
}
