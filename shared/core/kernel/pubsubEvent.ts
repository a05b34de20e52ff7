// Parses the Pub/Sub message of a push: a raw one, or one in a CloudEvent.

import * as z from 'zod';
import { asObject } from '../../text/json.ts';
import { placedIssue } from '../../text/zodIssues.ts';
import type { Failure } from '../schema/common.ts';

/** A message of Pub/Sub, as every handler gets it. */
export interface PubsubMessage {
  /** Pub/Sub's id, the same for every delivery. */
  messageId: string;
  /** The published bytes; empty for a message with attributes only. */
  data: Uint8Array;
  /** The attributes of the message; empty for none. */
  attributes: Record<string, string>;
  /** The publish time; null if the event has none. */
  publishedAt: Date | null;
  /**
   * W3C trace context: of the message's attributes, else of the event. A push request has a trace of its own,
   * which does not lead to the publisher.
   */
  traceparent: string | null;
  /** Number of this delivery, from 1; null for subscriptions without dead letters. */
  deliveryAttempt: number | null;
  /** The key of its alert, set by code for messages without source. Default: of id and data. */
  key?: string;
}

type PubsubReading = { ok: true; message: PubsubMessage } | { ok: false; failure: Failure };

/** A message as push delivers it; `message_id` is its older spelling. */
const pushBodySchema = z.looseObject({
  /** Null if the subscription does not count deliveries, or the value is invalid. */
  deliveryAttempt: z.int().positive().nullable().catch(null).default(null),
  message: z.looseObject({
    data: z.string().optional(),
    attributes: z.record(z.string(), z.string()).nullish(),
    messageId: z.string().min(1).optional(),
    message_id: z.string().min(1).optional(),
    /** Null if the value is not a time. */
    publishTime: z.iso.datetime().nullable().catch(null).default(null),
    publish_time: z.iso.datetime().nullable().catch(null).default(null),
  }),
});
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Reads a function's event. Never throws: an invalid message is a failure that names the field. */
export function readPubsubEvent(event: unknown): PubsubReading {
  const envelope = asObject(event);
  const given = 'message' in envelope ? envelope : envelope.data;
  const body = pushBodySchema.safeParse(given);
  if (!body.success) {
    const [issue] = body.error.issues;
    return malformedMessage(issue === undefined ? 'invalid' : placedIssue(issue, given, 'data'));
  }
  const { message, deliveryAttempt } = body.data;
  const messageId = message.messageId ?? message.message_id ?? envelope.id;
  if (typeof messageId !== 'string' || messageId === '')
    return malformedMessage('message.messageId: missing');
  const base64 = message.data ?? '';
  if (!BASE64.test(base64)) return malformedMessage('message.data: not base64');

  const attributes = message.attributes ?? {};
  const publishTime = message.publishTime ?? message.publish_time;
  const traces = [attributes.traceparent, envelope.traceparent];
  return {
    ok: true,
    message: {
      messageId,
      data: Buffer.from(base64, 'base64'),
      attributes,
      publishedAt: publishTime === null ? null : new Date(publishTime),
      traceparent: traces.find(isTraceparent) ?? null,
      deliveryAttempt,
    },
  };
}

const isTraceparent = (value: unknown): value is string =>
  typeof value === 'string' && TRACEPARENT.test(value);

function malformedMessage(detail: string): PubsubReading {
  return {
    ok: false,
    failure: { code: 'MESSAGE_MALFORMED', message: `not a Pub/Sub message: ${detail}` },
  };
}
