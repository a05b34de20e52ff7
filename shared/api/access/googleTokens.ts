// Verifies tokens that Google signs for people: of Identity-Aware Proxy and of Firebase Authentication.
// `jose` checks the signatures; this file fetches and caches Google's keys.

import { createPublicKey, type KeyObject } from 'node:crypto';
import { type JWTPayload, jwtVerify } from 'jose';
import { asObject, asText } from '../../text/json.ts';
import { type ExternalIdentities, personOfIap } from './iapIdentity.ts';
import type { Person } from './person.ts';

/** The addresses of the signers' public keys. */
const SIGNING_KEYS = {
  iap: 'https://www.gstatic.com/iap/verify/public_key',
  firebase: 'https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com',
} as const;

/** Milliseconds for which keys are cached. Keys change within days, and known ones stay valid as long. */
const KEEP_MS = 60 * 60_000;
/** Minimum time between reads of the list for unknown keys: invented keys cannot cause more reads. */
const REFETCH_MS = 60_000;
/** Milliseconds for one read of the keys. */
const FETCH_TIMEOUT_MS = 10_000;
/** Maximum length of a token; Google's tokens are shorter. */
const MAX_TOKEN = 16_384;
/** Allowed clock skew, in seconds: https://cloud.google.com/iap/docs/signed-headers-howto. */
const CLOCK_SKEW_S = 30;
/** Tokens of IAP live for 10 minutes, those of Firebase for an hour. */
const MAX_TOKEN_AGE_S = 3_600;

/** The person of a token; undefined if it is invalid. No reason: the library's messages quote tokens. */
export type TokenVerifier = (token: string) => Promise<Person | undefined>;

/**
 * Verifies `X-Goog-IAP-JWT-Assertion`.
 * @param audience the `aud` claim that IAP signs for this service.
 * @param keysUrl the address of the signing keys.
 * @param external accounts other than Google's that are accepted. Default: none.
 */
export function iapVerifier(
  audience: string,
  keysUrl: string = SIGNING_KEYS.iap,
  external?: ExternalIdentities,
  now: () => Date = () => new Date(),
): TokenVerifier {
  const issuer = 'https://cloud.google.com/iap';
  const verify = createVerifier({ keysUrl, audience, issuer, algorithm: 'ES256', now });
  return async (token) => {
    const claims = await verify(token);
    return claims && personOfIap(claims, external);
  };
}

/** Verifies an ID token of Firebase Authentication for a project. Unverified addresses identify no person. */
export function firebaseVerifier(
  project: string,
  keysUrl: string = SIGNING_KEYS.firebase,
  now: () => Date = () => new Date(),
): TokenVerifier {
  const issuer = `https://securetoken.google.com/${project}`;
  const verify = createVerifier({ keysUrl, audience: project, issuer, algorithm: 'RS256', now });
  return async (token) => {
    const { email, email_verified: isVerified } = (await verify(token)) ?? {};
    const address = asText(email);
    if (!address || isVerified !== true) return undefined;
    return { email: address, domain: address.split('@').at(-1)?.toLowerCase() };
  };
}

/** Requirements for the tokens of a signer. */
interface Expected {
  /** The address of the signing keys. */
  keysUrl: string;
  /** The only accepted `aud` claim. */
  audience: string;
  /** The only accepted `iss` claim. */
  issuer: string;
  /** The only accepted algorithm, for any key that a token names. */
  algorithm: 'ES256' | 'RS256';
  /** The time for the expiry of tokens. */
  now(): Date;
}

function createVerifier({ keysUrl, audience, issuer, algorithm, now }: Expected) {
  const keys = signingKeys(keysUrl);
  return async (token: string): Promise<JWTPayload | undefined> => {
    if (token.length > MAX_TOKEN) return undefined;
    const keyId = readTokenKeyId(token);
    const known = await keys(keyId);
    const key = keyId !== undefined && Object.hasOwn(known, keyId) ? known[keyId] : undefined;
    if (key === undefined) return undefined;
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [algorithm],
        audience,
        issuer,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: CLOCK_SKEW_S,
        maxTokenAge: MAX_TOKEN_AGE_S,
        currentDate: now(),
      });
      // An audience list can name other services; Google signs for one.
      return payload.aud === audience ? payload : undefined;
    } catch {
      return undefined;
    }
  };
}

/** The key id in the header of a token, which is untrusted and only selects the key. */
function readTokenKeyId(token: string): string | undefined {
  try {
    return asText(asObject(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).kid);
  } catch {
    return undefined;
  }
}

type Keys = Record<string, KeyObject>;

/** Reads keys at an address, cached for an hour. An unknown key causes a read, at most once a minute. */
function signingKeys(url: string): (keyId: string | undefined) => Promise<Keys> {
  let known: { keys: Keys; at: number } | undefined;
  let fetching: Promise<Keys> | undefined;
  const refresh = () => {
    fetching ??= fetchKeys(url)
      .then((keys) => {
        known = { keys, at: performance.now() };
        return keys;
      })
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  };
  return async (keyId) => {
    const age = known === undefined ? Number.POSITIVE_INFINITY : performance.now() - known.at;
    const isThere = keyId !== undefined && known !== undefined && Object.hasOwn(known.keys, keyId);
    if (known !== undefined && age < (isThere ? KEEP_MS : REFETCH_MS)) return known.keys;
    return refresh();
  };
}

async function fetchKeys(url: string): Promise<Keys> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS), redirect: 'error' });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const entries = Object.entries(asObject(await response.json()));
  return Object.fromEntries(entries.flatMap(([id, pem]) => parsePublicKeys(pem).map((key) => [id, key])));
}

/** Empty for an invalid key, so that the other keys stay usable. */
function parsePublicKeys(pem: unknown): KeyObject[] {
  try {
    return [createPublicKey(asText(pem) ?? '')];
  } catch {
    return [];
  }
}
