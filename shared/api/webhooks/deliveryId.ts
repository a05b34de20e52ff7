// Identifies duplicate deliveries of a webhook by an id that its source signs, or by the body.

import { createHash } from 'node:crypto';
import type { WebhookSource } from '../../alerts/sources.ts';
import { asObject, asText, parseJson } from '../../text/json.ts';
import type { Delivery, VerifiedRequest, WebhookSettings } from '../http/webhook.ts';
import { signedTimeOfGrafana } from './signatures.ts';
import { readSnsMessage } from './snsMessage.ts';

/**
 * Milliseconds for which an equal body is a copy, if its source sends the same body again while a problem
 * lasts: as long as a replayed request with a signed time is accepted, and shorter than the repeat interval
 * of sources.
 */
const REPEAT_MS = 5 * 60_000;

/** The delivery of a webhook; undefined for a request without alert, such as a confirmation. */
export function identifyDelivery(
  source: WebhookSource,
  { headers, body }: VerifiedRequest,
  { signsTime }: Pick<WebhookSettings, 'signsTime'>,
): Delivery | undefined {
  const once = (...identity: (string | Buffer)[]) => ({
    id: digestDeliveryParts(source, ...identity),
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
    // Its bodies contain the id of the event, or the counts of the issue.
    case 'sentry':
      return once('body', body);
    case 'grafana': {
      const sent = signsTime ? signedTimeOfGrafana(headers) : undefined;
      return sent === undefined ? repeatableDelivery(source, body) : once('time', sent, body);
    }
    default:
      return repeatableDelivery(source, body);
  }
}

function repeatableDelivery(source: WebhookSource, body: Buffer): Delivery {
  return { id: digestDeliveryParts(source, 'body', body), windowMs: REPEAT_MS };
}

/** Length prefixes separate the parts unambiguously. */
export function digestDeliveryParts(...parts: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}
