// Error details for Google's clients: a google.rpc.Status in binary metadata. Its messages contain only strings and other
// messages, so that it is encoded without protocol definitions.

import type { StatusError } from '../../protocol/status.ts';
import { invalid } from '../fields/errors.ts';

/** A length-delimited field of a protocol message. */
function field(number: number, value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

/** The error for late ack ids of a subscription with exactly-once delivery. */
export function invalidAckIdsError(ackIds: string[]): StatusError {
  const reasons = ackIds.map((ackId) =>
    field(3, Buffer.concat([field(1, ackId), field(2, 'PERMANENT_FAILURE_INVALID_ACK_ID')])),
  );
  const info = [field(1, 'EXACTLY_ONCE_ACKID_FAILURE'), field(2, 'pubsub.googleapis.com'), ...reasons];
  const any = [field(1, 'type.googleapis.com/google.rpc.ErrorInfo'), field(2, Buffer.concat(info))];
  const error = invalid('Some acknowledgement ids in the request were invalid.');
  const code = Buffer.from([1 << 3, error.code]);
  const status = [code, field(2, error.details), field(3, Buffer.concat(any))];
  error.trailers['grpc-status-details-bin'] = Buffer.concat(status).toString('base64');
  return error;
}
