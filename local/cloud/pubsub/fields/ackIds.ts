// Ack ids name a delivery and its attempt, so that they stay valid when the server is started again, and an ack for an
// attempt that was given up cannot ack the next one.

import { invalid } from './errors.ts';

export interface AckId {
  /** The subscription's number. */
  subscription: number;
  /** The message's number. */
  message: number;
  /** 1 for the first delivery. */
  attempt: number;
}

export const formatAckId = ({ subscription, message, attempt }: AckId): string =>
  `${subscription}-${message}-${attempt}`;

/** @throws StatusError INVALID_ARGUMENT when it is none. */
export function parseAckId(text: string): AckId {
  const [, subscription, message, attempt] = /^(\d{1,15})-(\d{1,15})-(\d{1,9})$/.exec(text) ?? [];
  if (attempt === undefined) throw invalid(`Invalid ack id (ack_id=${text})`);
  return { subscription: Number(subscription), message: Number(message), attempt: Number(attempt) };
}
