// Error details for Google's clients: a google.rpc.Status in binary metadata. Its messages contain only
// strings and other messages, so that it is encoded without protocol definitions.

import type { StatusError } from '../../protocol/status.ts';
import { invalid } from '../fields/errors.ts';

/** A length-delimited field of a protocol message. */
function encodeField(number: number, value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([encodeVarint((number << 3) | 2), encodeVarint(bytes.length), bytes]);
}

function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

/** The error for late ack ids of a subscription with exactly-once delivery. */
export function invalidAckIdsError(ackIds: string[]): StatusError {
  const reasons = ackIds.map((ackId) =>
    encodeField(
      3,
      Buffer.concat([encodeField(1, ackId), encodeField(2, 'PERMANENT_FAILURE_INVALID_ACK_ID')]),
    ),
  );
  const info = [
    encodeField(1, 'EXACTLY_ONCE_ACKID_FAILURE'),
    encodeField(2, 'pubsub.googleapis.com'),
    ...reasons,
  ];
  const any = [
    encodeField(1, 'type.googleapis.com/google.rpc.ErrorInfo'),
    encodeField(2, Buffer.concat(info)),
  ];
  const error = invalid('Some acknowledgement ids in the request were invalid.');
  const code = Buffer.from([1 << 3, error.code]);
  const status = [code, encodeField(2, error.details), encodeField(3, Buffer.concat(any))];
  error.trailers['grpc-status-details-bin'] = Buffer.concat(status).toString('base64');
  return error;
}
