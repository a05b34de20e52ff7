// Names the session that an alert opens, and its trace.

import { createHash } from 'node:crypto';
import { MARK } from '../../../masking/marks.ts';

/** Characters of the title in an id. With date and digits it has 50, so that a line of 80 has room for its state. */
const MAX_SLUG = 32;
/** Stands for a title without a letter or a digit of ASCII. */
const NO_SLUG = 'alert';
/** What is left of a mark that was cut at the end of a title. */
const CUT_MARK = /\[masked:[^\]]*$/;

/** How many digits of an alert's key its session's id ends with: the first that no other session has. */
export const ID_DIGITS = [6, 16] as const;

/**
 * The attribute of a message that was published for a delivery which can come again, such as a webhook: the id of the delivery,
 * as 64 hexadecimal digits. Copies of the delivery are other messages of Pub/Sub with the same attribute.
 */
export const DELIVERY_ATTRIBUTE = 'deliveryId';
const DELIVERY_ID = /^[0-9a-f]{64}$/;

/**
 * What identifies a message: the id of its delivery or else Pub/Sub's, and its data, because an emulator that starts anew
 * repeats the ids.
 */
interface MessageIdentity {
  messageId: string;
  attributes?: Readonly<Record<string, string>>;
  data: Uint8Array;
}

/** The key of an alert: the same for each delivery of a message, whatever code and configuration handle it. 64 hexadecimal digits. */
export function alertKeyOf({ messageId, attributes, data }: MessageIdentity): string {
  const given = attributes?.[DELIVERY_ATTRIBUTE];
  const id = given !== undefined && DELIVERY_ID.test(given) ? given : messageId;
  return createHash('sha256').update(id).update('\0').update(data).digest('hex');
}

/**
 * The id of a session, for people: `2026-11-22-checkout-slow-p99-3f2a1c`. Another version of the code, or of the rules of
 * masking, may give another id to the same alert, so a delivery finds the session of an earlier one by its key alone.
 * @param alert.title without its secrets; the marks in their places are left out.
 * @param alert.publishedAt when the alert was published; its day in UTC is what the id begins with.
 * @param digits of the key at its end.
 */
export function sessionIdOf(
  { title, publishedAt, key }: { title: string; publishedAt: Date; key: string },
  digits: number = ID_DIGITS[0],
): string {
  return `${publishedAt.toISOString().slice(0, 10)}-${slugOf(title)}-${key.slice(0, digits)}`;
}

/** The words of a title in small letters and digits of ASCII, as many as there is room for. */
function slugOf(title: string): string {
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
 * The trace of an investigation: its alert's, or else one that derives from the alert's key, so that a redelivered alert
 * has the same. That one is marked as not sampled, because nobody recorded it: it ties the lines of the log together.
 */
export function traceparentOf(message: MessageIdentity & { traceparent: string | null }): string {
  if (message.traceparent !== null) return message.traceparent;
  const key = alertKeyOf(message);
  return `00-${key.slice(0, 32)}-${key.slice(32, 48)}-00`;
}
