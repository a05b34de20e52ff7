// Verifies webhooks of Gemini: Standard Webhooks of a registered address, or a token of RS256 of an address
// that a request named.

import { createHmac, createPublicKey, timingSafeEqual, verify as verifySignature } from 'node:crypto';
import type { NoticeKeys } from '../../contract/backgroundModel.ts';
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

/** The event of a delivery; undefined for one that is not signed, too old, or about nothing. */
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
  const signed = Buffer.concat([Buffer.from(`${deliveryId}.${timestamp}.`), body]);
  const isSigned = isToken
    ? await isTokenValid(signature, keys, now)
    : signature.split(' ').some((one) => keys.secrets.some((secret) => isMacOf(signed, one, secret)));
  return isSigned ? readWebhook(deliveryId, body) : undefined;
}

function isMacOf(signed: Buffer, signature: string, secret: string): boolean {
  if (!signature.startsWith('v1,')) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const given = Buffer.from(signature.slice(3), 'base64');
  const expected = createHmac('sha256', key).update(signed).digest();
  return key.length > 0 && given.length === expected.length && timingSafeEqual(given, expected);
}

async function isTokenValid(token: string, { publicKey, audience }: NoticeKeys, now: Date): Promise<boolean> {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const { alg, kid } = readTokenPart(head);
  // The algorithm is never chosen by the token.
  if (alg !== 'RS256' || asText(kid) === undefined) return false;
  const jwk = await publicKey(String(kid));
  const { kty, n, e } = jwk ?? {};
  if (kty !== 'RSA' || n === undefined || e === undefined) return false;
  const key = createPublicKey({ key: { kty, n, e }, format: 'jwk' });
  const bytes = Buffer.from(`${head}.${claims}`);
  if (!verifySignature('RSA-SHA256', bytes, key, Buffer.from(signature, 'base64url'))) return false;
  const { exp, nbf, iat, aud } = readTokenPart(claims);
  const seconds = now.getTime() / 1000;
  const tolerance = TOLERANCE_MS / 1000;
  const isEarly = [nbf, iat].some((from) => typeof from === 'number' && from > seconds + tolerance);
  const isLate = typeof exp !== 'number' || exp < seconds - tolerance;
  const isForUs = audience === undefined || [aud].flat().includes(audience);
  return !isEarly && !isLate && isForUs;
}

function readTokenPart(text: string): Record<string, unknown> {
  return asObject(parseJson(Buffer.from(text, 'base64url').toString()));
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
