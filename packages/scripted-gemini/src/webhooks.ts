// Webhooks of interactions: thin events, signed as the API signs them. Addresses of a request get a token of
// RS256 whose key is at /.well-known/jwks.json; the registered address gets Standard Webhooks.

import { createHmac, createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';

/** The path of the public keys. */
export const JWKS_PATH = '/.well-known/jwks.json';
const KEY_ID = 'scripted-1';

/** An address that gets the events of all interactions, and the secret that signs them. */
export interface RegisteredWebhook {
  /** Where events are sent. */
  url: string;
  /** `whsec_` and the key in Base64. */
  secret: string;
}

/** An event of an interaction that has ended. */
interface WebhookEvent {
  /** `interaction.completed` and the like. */
  type: string;
  /** The id of the interaction. */
  id: string;
  /** The metadata of the request. */
  userMetadata?: Record<string, unknown> | undefined;
}

/** Only these ends have an event. */
const EVENT_OF_STATUS: Readonly<Record<string, string>> = {
  requires_action: 'interaction.requires_action',
  completed: 'interaction.completed',
  failed: 'interaction.failed',
};

/** The type of the event of a status; undefined if the API sends none. */
export const webhookType = (status: string): string | undefined => EVENT_OF_STATUS[status];

/** Signs and sends events. */
export interface WebhookSender {
  /** The public keys, as the API publishes them. */
  jwks(): object;
  /** The headers and the body of one delivery, for tests of receivers. */
  sign(
    event: WebhookEvent,
    secret: string | undefined,
    now?: Date,
  ): { headers: Record<string, string>; body: string };
  /** Sends an event to the addresses of its request, else to the registered one. Never fails. */
  send(event: WebhookEvent, uris: readonly string[] | undefined): Promise<void>;
}

/** A sender with a key pair of its own. */
export function createWebhookSender(registered?: RegisteredWebhook): WebhookSender {
  let keys: { publicKey: KeyObject; privateKey: KeyObject } | undefined;
  const pair = () => {
    keys ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
    return keys;
  };
  const sign: WebhookSender['sign'] = ({ type, id, userMetadata }, secret, now = new Date()) => {
    const body = JSON.stringify({
      type,
      version: 'v1',
      timestamp: now.toISOString(),
      data: { id },
      ...(userMetadata && { user_metadata: userMetadata }),
    });
    const webhookId = `msg_${randomUUID()}`;
    const seconds = Math.floor(now.getTime() / 1000);
    const signature =
      secret === undefined
        ? signToken(pair().privateKey, { iat: seconds, exp: seconds + 300, type, data: { id } })
        : `v1,${hmac(secret, `${webhookId}.${seconds}.${body}`)}`;
    return {
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': webhookId,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signature,
      },
    };
  };
  return {
    jwks: () => ({
      keys: [{ ...pair().publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' }],
    }),
    sign,
    async send(event, uris) {
      const targets = uris?.map((url) => ({ url, secret: undefined })) ?? (registered ? [registered] : []);
      for (const { url, secret } of targets) {
        const { headers, body } = sign(event, secret);
        await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
      }
    },
  };
}

function hmac(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}

function signToken(key: KeyObject, claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ alg: 'RS256', typ: 'JWT', kid: KEY_ID })}.${encode(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key).toString('base64url')}`;
}
