// Reads the answer to an accepted OTLP request, with field numbers of trace and metrics protos.

import protobuf from 'protobufjs/minimal.js';

const MAX_REASON_CHARACTERS = 300;

/** The number of rejected spans or points, and why, cut. An unreadable answer rejects none. */
export function partialSuccess(answer: Buffer): { rejected: number; reason: string } {
  const result = { rejected: 0, reason: '' };
  try {
    const reader = protobuf.Reader.create(answer);
    const fields = (end: number, read: (field: number) => boolean): void => {
      while (reader.pos < end) {
        const tag = reader.uint32();
        if (!read(tag >>> 3)) reader.skipType(tag & 7);
      }
    };
    fields(reader.len, (field) => {
      if (field !== 1) return false;
      const length = reader.uint32();
      fields(reader.pos + length, (inner) => {
        if (inner === 1) result.rejected = Number(reader.int64());
        else if (inner === 2) result.reason = reader.string().slice(0, MAX_REASON_CHARACTERS);
        else return false;
        return true;
      });
      return true;
    });
    return result;
  } catch {
    return { rejected: 0, reason: '' };
  }
}
