// Access to the deployed API: programs with a key, and people in access.yaml whom Google authenticates.

import { createHash } from 'node:crypto';
import type { Logger } from '../../core/contract/logger.ts';
import type { Verify } from '../../core/contract/signatures.ts';
import type { Store } from '../../core/contract/store.ts';
import { errorMessage, RetryableError } from '../../core/errors.ts';
import type { Clock } from '../../core/kernel/deps.ts';
import type { ApiKey } from '../../kits/access/apiKeyDocument.ts';
import { findApiKey, idOfApiKey } from '../../kits/access/createApiKey.ts';
import type { Headers } from '../../kits/tenants/requestTenant.ts';
import { Problem } from '../http/problem.ts';
import { type Access, type Caller, callerIdentity } from '../http/route.ts';
import { ExpiringSet } from '../limits/expiringSet.ts';
import { countRequest, perMinute } from '../limits/rateLimit.ts';
import type { TokenVerifier } from './googleTokens.ts';
import type { Person } from './person.ts';
import { checkSameSite } from './sameSite.ts';

/**
 * Milliseconds for which a refused text is refused again without a read of the database. A new key is a
 * different text, so it is valid at once. A key whose document was missing is found after this time.
 */
const REFUSED_MS = 10_000;
/** Maximum entries of the cache. */
const MAX_REMEMBERED = 10_000;
/** Lookups in a minute that find no valid key: for an address, for a key id, and in total. */
const PER_ADDRESS = 60;
const PER_ID = 60;
const PER_INSTANCE = 600;
const TOO_MANY = 'too many unknown keys were sent: wait, and compare your key with `inquest keys list`';

/** The inputs of access decisions. Callers prove themselves by `verifyKey`, `iap` or `firebase` only. */
interface CloudAccessOptions {
  /** The role and tenant of a person; undefined without access. */
  memberOf(person: Person): Pick<Caller, 'role' | 'tenantId'> | undefined;
  /** Requests of a caller in a minute, counted by each instance. From access.yaml. */
  requestsPerMinute: number;
  /** The unrestricted store, because the key names the tenant. */
  store: Store;
  /** The time for the expiry of keys. */
  clock: Clock;
  /** Gets the reasons why documents of keys are refused. */
  log: Logger;
  /** Verifies the HMACs of keys in `Authorization: Bearer` or `X-Api-Key`. Absent: no key is accepted. */
  verifyKey?: Verify | undefined;
  /** Verifies tokens of Identity-Aware Proxy in `X-Goog-IAP-JWT-Assertion`. Absent: the header is ignored. */
  iap?: TokenVerifier | undefined;
  /** Verifies tokens of Firebase Authentication in `Authorization: Bearer`. Absent: none is accepted. */
  firebase?: TokenVerifier | undefined;
}

const IAP_HEADER = 'x-goog-iap-jwt-assertion';
/** Clients of Anthropic send keys in this header. */
const KEY_HEADER = 'x-api-key';
/** Milliseconds for which a valid credential passes the limits by address. Each request still verifies it. */
const KNOWN_MS = 60 * 60_000;
const MAX_KNOWN = 10_000;

/** How a request proves its caller. */
function describeAccessRemedy({ verifyKey }: CloudAccessOptions): string {
  return verifyKey
    ? 'send a key of `inquest keys` as a bearer token, or sign in'
    : 'sign in through Identity-Aware Proxy; programs use the address of the service `api`';
}

/** Accepts known callers, at most `requestsPerMinute` times in a minute. Each instance counts on its own. */
export function cloudAccess(options: CloudAccessOptions): Access {
  const { requestsPerMinute } = options;
  const limiter = perMinute(requestsPerMinute);
  const findKey = options.verifyKey && keyLookups({ ...options, verify: options.verifyKey });
  const known = new ExpiringSet({ max: MAX_KNOWN, ms: KNOWN_MS, now: () => options.clock.now() });
  const access: Access = async (headers, address) => {
    // IAP signs people in with a cookie, which a browser also sends for pages of other sites.
    if (typeof headers.host === 'string') checkSameSite(headers, `https://${headers.host}`);
    const digest = digestCredentials(headers);
    const isKnown = known.has(digest);
    const caller = await identifyCaller(
      headers,
      options,
      findKey && ((text) => findKey({ text, address, isKnown })),
    ).catch((error) => {
      if (error instanceof Problem) known.delete(digest);
      throw error;
    });
    known.add(digest);
    const tenant = headers['x-tenant-id'];
    if (tenant !== undefined && tenant !== '' && tenant !== caller.tenantId)
      throw new Problem(
        'ACCESS_DENIED',
        `X-Tenant-Id: your tenant is ${caller.tenantId}; leave the header out`,
      );
    const detail = `more than ${requestsPerMinute} requests in a minute: wait`;
    await countRequest(limiter, callerIdentity(caller), detail);
    return caller;
  };
  return Object.assign(access, { recognises: (headers: Headers) => known.has(digestCredentials(headers)) });
}

/** A digest of everything that can identify a request's caller, so that memory has no credential. */
function digestCredentials(headers: Headers): string {
  const { authorization, [KEY_HEADER]: key, [IAP_HEADER]: assertion } = headers;
  return createHash('sha256')
    .update(JSON.stringify([authorization, key, assertion]))
    .digest('base64');
}

async function identifyCaller(
  headers: Headers,
  options: CloudAccessOptions,
  findKey: ((text: string) => ReturnType<FindKey>) | undefined,
): Promise<Caller> {
  const bearer = readBearerToken(headers);
  if (findKey && bearer !== undefined && idOfApiKey(bearer) !== undefined) {
    const key = await findKey(bearer);
    if (key === undefined) throw new Problem('LOGIN_REQUIRED', 'the key is unknown, revoked or too old');
    const { tenantId, name, role, keyId } = key;
    return { tenantId, name, userId: name, role, keyId };
  }
  const assertion = headers[IAP_HEADER];
  if (options.iap && typeof assertion === 'string') return memberFor(assertion, options.iap, options);
  if (options.firebase && bearer !== undefined) return memberFor(bearer, options.firebase, options);
  throw new Problem('LOGIN_REQUIRED', `the request names no caller: ${describeAccessRemedy(options)}`);
}

async function memberFor(token: string, verify: TokenVerifier, options: CloudAccessOptions): Promise<Caller> {
  const person = await verifyToken(token, verify);
  if (person === undefined)
    throw new Problem('LOGIN_REQUIRED', `the token is not valid: ${describeAccessRemedy(options)}`);
  const member = options.memberOf(person);
  const email = person.email.toLowerCase();
  if (member === undefined)
    throw new Problem('ACCESS_DENIED', `${email} is not among the members of access.yaml`);
  return { ...member, name: email, userId: email };
}

async function verifyToken(token: string, verify: TokenVerifier): Promise<Person | undefined> {
  try {
    return await verify(token);
  } catch (error) {
    throw new RetryableError(
      'STORE_UNAVAILABLE',
      `Google's signing keys could not be read: ${errorMessage(error)}`,
    );
  }
}

/** The token of `Authorization`, or without that header the key of `X-Api-Key`. */
function readBearerToken({ authorization, [KEY_HEADER]: key }: Headers): string | undefined {
  if (authorization === undefined) return typeof key === 'string' ? key : undefined;
  return typeof authorization === 'string' ? /^Bearer +(\S+)$/i.exec(authorization)?.[1] : undefined;
}

interface SentKey {
  /** The whole key. */
  text: string;
  /** The client's address. */
  address: string;
  /** Whether it was valid within the last hour. Then its lookup is not counted, but still made. */
  isKnown: boolean;
}

/** Finds the API key with a text. */
type FindKey = (sent: SentKey) => Promise<ApiKey | undefined>;

/**
 * Finds keys as `findApiKey` does, with limits. The cache and the counters depend on the text that was sent
 * and never on whether its id exists, so that neither responses nor their timing reveal existing ids.
 * @throws Problem `RATE_LIMITED` before a lookup when too many found nothing; RetryableError when the store
 * fails.
 */
function keyLookups(deps: Parameters<typeof findApiKey>[1]): FindKey {
  const now = () => deps.clock.now();
  const refused = new ExpiringSet({ max: MAX_REMEMBERED, ms: REFUSED_MS, now });
  const limits = {
    address: perMinute(PER_ADDRESS),
    id: perMinute(PER_ID),
    instance: perMinute(PER_INSTANCE),
  };
  return async ({ text, address, isKnown }) => {
    const digest = createHash('sha256').update(text).digest('base64');
    if (refused.has(digest)) return undefined;
    const counted = [
      [limits.address, address],
      [limits.id, idOfApiKey(text) ?? ''],
      [limits.instance, ''],
    ] as const;
    if (!isKnown) for (const [limit, key] of counted) await countRequest(limit, key, TOO_MANY);
    const found = await findApiKey(text, deps);
    if (found === undefined) refused.add(digest);
    else if (!isKnown) for (const [limit, key] of counted) await limit.reward(key);
    return found;
  };
}
