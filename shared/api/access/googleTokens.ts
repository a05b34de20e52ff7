// Tokens that Google signs for people: of Identity-Aware Proxy and of Firebase Authentication. Google's library verifies
// them; here its keys are fetched and kept.

import { OAuth2Client } from 'google-auth-library';
import { asObject, asText } from '../../text/json.ts';

/** Where the keys of the signers are. */
const SIGNING_KEYS = {
  iap: 'https://www.gstatic.com/iap/verify/public_key',
  firebase: 'https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com',
} as const;

/** Keys change within days; those that are known stay valid for as long. */
const KEEP_MS = 60 * 60_000;
/** An unknown key makes the list be read again, but whoever invents them decides nothing about how often. */
const REFETCH_MS = 60_000;
const FETCH_TIMEOUT_MS = 10_000;
/** Longer ones are no tokens of Google's. */
const MAX_TOKEN = 16_384;

/** A person as a verified token has it. */
export interface Person {
  email: string;
  /** The domain that vouches for the person; undefined for an account of nobody's. */
  domain: string | undefined;
}

/** Whose a token is; undefined when it is not valid. Why, nobody is told: the library's messages quote tokens. */
export type TokenVerifier = (token: string) => Promise<Person | undefined>;

/** Of `X-Goog-IAP-JWT-Assertion`. @param keysUrl where the keys are. */
export function iapVerifier(audience: string, keysUrl: string = SIGNING_KEYS.iap): TokenVerifier {
  const verify = verifier(keysUrl, audience, 'https://cloud.google.com/iap');
  return async (token) => {
    const { email, hd } = (await verify(token)) ?? {};
    // With identities of another provider the address has a prefix: securetoken.google.com/PROJECT:ada@example.com.
    const address = asText(email)?.split(':').at(-1);
    return address ? { email: address, domain: asText(hd)?.toLowerCase() } : undefined;
  };
}

/** Of an ID token of Firebase Authentication. Addresses that were not verified name nobody. */
export function firebaseVerifier(project: string, keysUrl: string = SIGNING_KEYS.firebase): TokenVerifier {
  const verify = verifier(keysUrl, project, `https://securetoken.google.com/${project}`);
  return async (token) => {
    const { email, email_verified: isVerified } = (await verify(token)) ?? {};
    const address = asText(email);
    if (!address || isVerified !== true) return undefined;
    return { email: address, domain: address.split('@').at(-1)?.toLowerCase() };
  };
}

function verifier(keysUrl: string, audience: string, issuer: string) {
  const client = new OAuth2Client();
  const keys = signingKeys(keysUrl);
  return async (token: string): Promise<Record<string, unknown> | undefined> => {
    if (token.length > MAX_TOKEN) return undefined;
    const known = await keys(keyIdOf(token));
    try {
      const ticket = await client.verifySignedJwtWithCertsAsync(token, known, audience, [issuer]);
      return asObject(ticket.getPayload());
    } catch {
      return undefined;
    }
  };
}

/** The name of the key that a token says it is signed with; it is not trusted for anything else. */
function keyIdOf(token: string): string | undefined {
  try {
    return asText(asObject(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).kid);
  } catch {
    return undefined;
  }
}

type Keys = Record<string, string>;

/** The keys at an address: kept for an hour, and read again for one that is not among them. */
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
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
