// Verifies webhooks of Gemini: Standard Webhooks of a registered address, or a token of RS256 of an address
// that a request named.

import { timingSafeEqual } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { Webhook } from 'standardwebhooks';
import type { NoticeKeys } from '../../contract/backgroundModel.ts';
import { RetryableError } from '../../core/errors.ts';
import { asObject, asText, isObject, parseJson } from '../../text/json.ts';

/** A delivery is refused if it was signed earlier or later than this. */
export const TOLERANCE_MS = 300_000;

/** A delivery as it arrived. */
interface Delivery {
  /** A header by its name in lower case; undefined where it is missing, or comes twice. */
  header(name: string): string | undefined;
  /** The body, byte by byte. */
  body: Buffer;
}

/** A delivery that Google signed. It allows only to read the interaction. */
export interface VerifiedWebhook {
  /** The id of the delivery, the same at each repetition. */
  deliveryId: string;
  /** `interaction.completed` and the like; an open set. */
  type: string;
  /** The id of the interaction. */
  interactionId: string;
  /** The metadata of the request; empty if there are none. */
  metadata: Readonly<Record<string, unknown>>;
}

/**
 * The event of a delivery; undefined for one that is not signed, too old, or about nothing.
 * @throws RetryableError `SOURCE_UNAVAILABLE` when the keys of tokens cannot be read now.
 */
export async function verifyWebhook(
  delivery: Delivery,
  keys: NoticeKeys,
  now: Date,
): Promise<VerifiedWebhook | undefined> {
  const { header, body } = delivery;
  const [deliveryId, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    header,
  );
  if (!deliveryId || !timestamp || !signature || !/^\d{1,12}$/.test(timestamp)) return undefined;
  if (Math.abs(now.getTime() - Number(timestamp) * 1000) > TOLERANCE_MS) return undefined;
  const isToken = signature.split('.').length === 3 && !signature.includes(',');
  const signed = { deliveryId, at: new Date(Number(timestamp) * 1000), text: body.toString('utf8') };
  const isSigned = isToken
    ? await isTokenValid(signature, keys, now)
    : signature.split(' ').some((one) => keys.secrets.some((secret) => matchesMac(signed, one, secret)));
  return isSigned ? readWebhook(deliveryId, body) : undefined;
}

function matchesMac(
  { deliveryId, at, text }: { deliveryId: string; at: Date; text: string },
  signature: string,
  secret: Webhook,
): boolean {
  const expected = Buffer.from(secret.sign(deliveryId, at, text));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function isTokenValid(token: string, { findKey, audience }: NoticeKeys, now: Date): Promise<boolean> {
  try {
    await jwtVerify(token, findKey, {
      algorithms: ['RS256'],
      requiredClaims: ['exp'],
      clockTolerance: TOLERANCE_MS / 1000,
      currentDate: now,
      ...(audience !== undefined && { audience }),
    });
    return true;
  } catch (error) {
    if (error instanceof RetryableError) throw error;
    return false;
  }
}

/** The event of a verified delivery; undefined for one about nothing. */
export function readWebhook(deliveryId: string, body: Buffer): VerifiedWebhook | undefined {
  const event = asObject(parseJson(body.toString('utf8')));
  const data = asObject(event.data);
  const type = asText(event.type);
  const interactionId = asText(data.id);
  if (type === undefined || interactionId === undefined) return undefined;
  // Metadata come back at one of these places; the documentation does not name it.
  const metadata = [event.user_metadata, data.user_metadata].find(isObject) ?? {};
  return { deliveryId, type, interactionId, metadata };
}
