// Identifies duplicate deliveries of a webhook, by the id that its source signs or by its body.

import { createHash } from 'node:crypto';
import type { WebhookSource } from '../../schema/webhookSource.ts';
import { asObject, asText, parseJson } from '../../text/json.ts';
import { signedTimeOfGrafana } from './signatures.ts';
import { readSnsMessage } from './sns/message.ts';
import type { WebhookSettings } from './webhook.ts';

/**
 * For how long an equal body is the same delivery where its source can send the same text again because a problem lasts, in
 * milliseconds: as long as a recorded request with a signed time is accepted, and shorter than sources repeat by themselves.
 */
const REPEAT_MS = 5 * 60_000;

/** A delivery of a webhook. */
export interface Delivery {
  /** SHA-256 in hexadecimal digits: the same for each copy of the delivery. */
  id: string;
  /** For how long a copy is the same delivery, in milliseconds; infinite if the source never sends the same body on its own. */
  windowMs: number;
}

/** A request that was proved to be of its source. */
export interface VerifiedRequest {
  headers: Headers;
  body: Buffer;
}

/** The delivery of a webhook; undefined for one that publishes nothing, such as the confirmation of a subscription. */
export function deliveryOf(
  source: WebhookSource,
  { headers, body }: VerifiedRequest,
  { signsTime }: Pick<WebhookSettings, 'signsTime'>,
): Delivery | undefined {
  const once = (...identity: (string | Buffer)[]) => ({
    id: digestOf(source, ...identity),
    windowMs: Number.POSITIVE_INFINITY,
  });
  switch (source) {
    case 'sns': {
      const { Type, MessageId } = readSnsMessage(body);
      return Type === 'Notification' ? once('id', MessageId) : undefined;
    }
    case 'pagerduty': {
      const id = asText(asObject(asObject(parseJson(body.toString('utf8'))).event).id);
      return id === undefined ? once('body', body) : once('id', id);
    }
    // Its bodies name the event, or hold the counts of an issue.
    case 'sentry':
      return once('body', body);
    case 'grafana': {
      const sent = signsTime ? signedTimeOfGrafana(headers) : undefined;
      return sent === undefined ? repeatable(source, body) : once('time', sent, body);
    }
    default:
      return repeatable(source, body);
  }
}

function repeatable(source: WebhookSource, body: Buffer): Delivery {
  return { id: digestOf(source, 'body', body), windowMs: REPEAT_MS };
}

/** Length prefixes separate the parts unambiguously. */
export function digestOf(...parts: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}
