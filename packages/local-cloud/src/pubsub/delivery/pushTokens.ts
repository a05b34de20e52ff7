// The tokens of push requests: https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions

import { createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { Clock } from '../../protocol/clock.ts';

/** Google's tokens are valid for an hour. One is sent again for half of it. */
const VALID_SECONDS = 3600;
const REUSED_SECONDS = 1800;

/** Signs the tokens of push requests, with claims as Google's have them. */
export interface PushTokens {
  /**
   * A token that is valid for at least half an hour.
   * @param email the service account.
   * @param audience the claim `aud`.
   */
  tokenFor(email: string, audience: string): string;
  /** The key that verifies the tokens, RS256. It is of this process: Google's keys verify none of them. */
  publicKey(): KeyObject;
}

/** Tokens of a key of their own, which is made at the first use. */
export function createPushTokens(clock: Clock): PushTokens {
  const tokens = new Map<string, { token: string; reusedUntil: number }>();
  const keyId = randomUUID();
  let privateKey: KeyObject | undefined;
  const key = () => {
    privateKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    return privateKey;
  };

  return {
    tokenFor(email, audience) {
      const now = Math.floor(clock.now().getTime() / 1000);
      const known = tokens.get(`${email} ${audience}`);
      if (known !== undefined && now < known.reusedUntil) return known.token;
      const claims = { aud: audience, azp: email, email, email_verified: true, sub: email };
      const token = signToken(key(), keyId, {
        ...claims,
        iss: 'https://accounts.google.com',
        iat: now,
        exp: now + VALID_SECONDS,
      });
      tokens.set(`${email} ${audience}`, { token, reusedUntil: now + REUSED_SECONDS });
      return token;
    },
    publicKey: () => createPublicKey(key()),
  };
}

/** A JSON Web Token in the compact form. */
function signToken(key: KeyObject, kid: string, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const input = `${encode({ alg: 'RS256', kid, typ: 'JWT' })}.${encode(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}
