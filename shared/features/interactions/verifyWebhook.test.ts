import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createLocalJWKSet } from 'jose';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { NoticeKeys } from '../../contract/backgroundModel.ts';
import { TOLERANCE_MS, verifyWebhook } from './verifyWebhook.ts';

const NOW = new Date('2026-11-30T12:00:00Z');
const SECONDS = NOW.getTime() / 1000;
const SECRET = `whsec_${Buffer.from('a secret of a webhook').toString('base64')}`;
const EVENT = {
  type: 'interaction.completed',
  version: 'v1',
  data: { id: 'v1_abc' },
  user_metadata: { submission: 's-1' },
};
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const KEYS: NoticeKeys = {
  secrets: [new Webhook(SECRET)],
  findKey: createLocalJWKSet({ keys: [{ ...publicKey.export({ format: 'jwk' }), kty: 'RSA', kid: 'k1' }] }),
};

interface Sent {
  body?: string;
  seconds?: number | string;
  signature?: string;
  id?: string;
}
const mac = ({ body = JSON.stringify(EVENT), seconds = SECONDS, id = 'msg_1' }: Sent, secret = SECRET) => {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
};
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
function token(claims: object = {}, head: object = {}, key: KeyObject = privateKey) {
  const text = `${encode({ alg: 'RS256', kid: 'k1', ...head })}.${encode({ iat: SECONDS, exp: SECONDS + 60, ...claims })}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key).toString('base64url')}`;
}
function verify(sent: Sent = {}, keys: Partial<NoticeKeys> = {}) {
  const { body = JSON.stringify(EVENT), seconds = SECONDS, id = 'msg_1' } = sent;
  const headers: Record<string, string> = {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': sent.signature ?? mac(sent),
  };
  const delivery = { header: (name: string) => headers[name], body: Buffer.from(body) };
  return verifyWebhook(delivery, { ...KEYS, ...keys }, NOW);
}
const READ = {
  deliveryId: 'msg_1',
  type: 'interaction.completed',
  interactionId: 'v1_abc',
  metadata: { submission: 's-1' },
};

describe('a delivery is read', () => {
  it.each([
    ['with the secret', {}],
    ['with one of several signatures, while the secret changes', { signature: `v1,AAAA ${mac({})}` }],
    ['with a token', { signature: token() }],
    ['five minutes late', { seconds: SECONDS - TOLERANCE_MS / 1000 }],
    ['from a clock that is ahead', { seconds: SECONDS + TOLERANCE_MS / 1000 }],
  ])('%s', async (_, sent) => {
    expect(await verify(sent)).toEqual(READ);
  });

  it('with the audience that is required', async () => {
    expect(await verify({ signature: token({ aud: ['us'] }) }, { audience: 'us' })).toEqual(READ);
  });

  it('with metadata within its data, or without any', async () => {
    const { user_metadata, ...event } = EVENT;
    const inside = JSON.stringify({ ...event, data: { ...event.data, user_metadata } });
    expect(await verify({ body: inside })).toEqual(READ);
    expect(await verify({ body: JSON.stringify(event) })).toEqual({ ...READ, metadata: {} });
  });
});

describe('a delivery is refused', () => {
  it.each<[string, Sent, Partial<NoticeKeys>?]>([
    ['with another secret', { signature: mac({}, 'whsec_b3RoZXI=') }],
    ['with a signature of another body', { signature: mac({ body: '{}' }) }],
    ['with a signature of another id', { id: 'msg_2', signature: mac({}) }],
    ['with a signature of another time', { seconds: SECONDS + 1, signature: mac({}) }],
    ['without a registered secret', {}, { secrets: [] }],
    ['with another version of the signature', { signature: mac({}).replace('v1,', 'v2,') }],
    ['with an empty signature', { signature: '' }],
    ['that is too old', { seconds: SECONDS - TOLERANCE_MS / 1000 - 1 }],
    ['that is from the future', { seconds: SECONDS + TOLERANCE_MS / 1000 + 1 }],
    ['with a time that is none', { seconds: '1e12' }],
    ['with a token of another key', { signature: token({}, {}, other) }],
    ['with a token of an unknown key', { signature: token({}, { kid: 'k2' }) }],
    ['with a token without an algorithm', { signature: token({}, { alg: 'none' }) }],
    ['with a token of a secret', { signature: token({}, { alg: 'HS256' }) }],
    ['with a token that has ended', { signature: token({ exp: SECONDS - 301 }) }],
    ['with a token that never ends', { signature: token({ exp: undefined }) }],
    ['with a token of the future', { signature: token({ nbf: SECONDS + 301 }) }],
    ['with a token for others', { signature: token({ aud: 'them' }) }, { audience: 'us' }],
    ['about nothing', { body: '{"type":"interaction.completed","data":{}}' }],
    ['that is no object', { body: '7' }],
  ])('%s', async (_, sent, keys) => {
    expect(await verify(sent, keys)).toBeUndefined();
  });
});
