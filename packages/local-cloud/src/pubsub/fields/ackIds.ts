// Ack ids contain the delivery and its attempt. They stay valid after a restart of the server, and an ack of
// an expired attempt cannot ack the next one.

import { invalid } from './errors.ts';

/** A delivery and its attempt. */
export interface AckId {
  /** The id of the subscription. */
  subscription: number;
  /** The id of the message. */
  message: number;
  /** 1 for the first delivery. */
  attempt: number;
}

/** `3-17-1`: subscription, message and attempt. */
export const formatAckId = ({ subscription, message, attempt }: AckId): string =>
  `${subscription}-${message}-${attempt}`;

/** @throws StatusError INVALID_ARGUMENT when the text is no ack id. */
export function parseAckId(text: string): AckId {
  const [, subscription, message, attempt] = /^(\d{1,15})-(\d{1,15})-(\d{1,9})$/.exec(text) ?? [];
  if (attempt === undefined) throw invalid(`Invalid ack id (ack_id=${text})`);
  return { subscription: Number(subscription), message: Number(message), attempt: Number(attempt) };
}
