// Derives the id of the session that an alert opens, and its trace.

import { createHash } from 'node:crypto';
import { MARK } from '../../masking/scan/maskMarks.ts';

/** Maximum characters of the title in an id. An id has at most 50: a line of 80 also has its state. */
const MAX_SLUG = 32;
/** Replaces a title without any ASCII letter or digit. */
const NO_SLUG = 'alert';
/** The rest of a mark that was cut at the end of a title. */
const CUT_MARK = /\[masked:[^\]]*$/;

/** Number of digits of an alert's key at the end of a session id: the first option without a collision. */
export const ID_DIGITS = [6, 16] as const;

/**
 * The attribute of a message that was published for a repeatable delivery, such as a webhook: the id of the
 * delivery, as 64 hexadecimal digits. Duplicates of the delivery are different Pub/Sub messages with the same
 * attribute.
 */
export const DELIVERY_ATTRIBUTE = 'deliveryId';
const DELIVERY_ID = /^[0-9a-f]{64}$/;

/**
 * The identity of a message: the id of its delivery, else Pub/Sub's id, and its data, because a restarted
 * emulator repeats ids.
 */
interface MessageIdentity {
  /** Pub/Sub's id of the message. */
  messageId: string;
  /** The message's attributes, with the id of its delivery if its webhook set one. */
  attributes?: Readonly<Record<string, string>>;
  /** The published bytes. */
  data: Uint8Array;
  /** The key, where code chose it. Default: that of id and data. */
  key?: string;
}

/** The key of an alert: equal for each delivery, code and configuration. 64 hexadecimal digits. */
export function deriveAlertKey({ messageId, attributes, data, key }: MessageIdentity): string {
  if (key !== undefined) return key;
  const given = attributes?.[DELIVERY_ATTRIBUTE];
  const id = given !== undefined && DELIVERY_ID.test(given) ? given : messageId;
  return createHash('sha256').update(id).update('\0').update(data).digest('hex');
}

/**
 * Returns the readable id of a session: `2026-11-22-checkout-slow-p99-3f2a1c`. Other versions of the code or
 * of the masking rules can produce a different id for the same alert, so a redelivery finds the existing
 * session only by its key.
 * @param alert.title the masked title; marks are omitted.
 * @param alert.publishedAt when the alert was published; the id starts with its day in UTC.
 * @param digits number of digits of the key at its end.
 */
export function deriveSessionId(
  { title, publishedAt, key }: { title: string; publishedAt: Date; key: string },
  digits: number = ID_DIGITS[0],
): string {
  return `${publishedAt.toISOString().slice(0, 10)}-${slugifyTitle(title)}-${key.slice(0, digits)}`;
}

/** The words of a title in lower-case ASCII letters and digits, as many as fit. */
function slugifyTitle(title: string): string {
  const text = title.replace(MARK, ' ').replace(CUT_MARK, ' ').normalize('NFKD').replace(/\p{M}/gu, '');
  let slug = '';
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    const longer = slug === '' ? word.slice(0, MAX_SLUG) : `${slug}-${word}`;
    if (longer.length > MAX_SLUG) break;
    slug = longer;
  }
  return slug || NO_SLUG;
}

/**
 * Returns the trace of an investigation: the alert's own, or one that is derived from the alert's key, so
 * that it is the same for a redelivery. A derived trace is not sampled, because it was never recorded: it
 * only connects log lines.
 */
export function deriveTraceparent(message: MessageIdentity & { traceparent: string | null }): string {
  if (message.traceparent !== null) return message.traceparent;
  const key = deriveAlertKey(message);
  return `00-${key.slice(0, 32)}-${key.slice(32, 48)}-00`;
}

/** The id of the session that an alert opens. @param digits of its key at the end of the id. */
export function ownSessionId(
  { alert: { title }, reportedAt, key }: { alert: { title: string }; reportedAt: Date; key: string },
  digits?: number,
): string {
  return deriveSessionId({ title, publishedAt: reportedAt, key }, digits);
}
