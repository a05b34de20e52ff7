// Access to the deployed API: only programs with a key, and people whom Google authenticates and access.yaml lists.

import type { Store } from '../../contract/store.ts';
import { errorMessage, RetryableError } from '../../errors.ts';
import { idOfApiKey } from '../../runtime/access/apiKeys.ts';
import type { Clock } from '../../runtime/kernel/deps.ts';
import type { Headers } from '../../runtime/tenants/contextHeaders.ts';
import { countRequest, perMinute } from '../limits/countRequest.ts';
import { Problem } from '../problem.ts';
import { type Caller, callerIdentity } from '../route.ts';
import { type Access, checkSameSite } from './access.ts';
import type { TokenVerifier } from './googleTokens.ts';
import { type FindKey, keyLookups } from './keyLookups.ts';
import type { Person } from './person.ts';

/** The inputs of access decisions. */
export interface CloudAccessOptions {
  /** The role and tenant of a person; undefined without access. */
  memberOf(person: Person): Pick<Caller, 'role' | 'tenantId'> | undefined;
  requestsPerMinute: number;
  /** The unrestricted store, because the key names the tenant. */
  store: Store;
  clock: Clock;
  /** Of Identity-Aware Proxy, whose header names people. Absent: the header is ignored. */
  iap?: TokenVerifier | undefined;
  /** Of Firebase Authentication, whose tokens come as `Authorization: Bearer`. */
  firebase?: TokenVerifier | undefined;
}

const IAP_HEADER = 'x-goog-iap-jwt-assertion';
const HOW = 'send a key of `inquest keys` as a bearer token, or sign in';

/** Lets in who is known, as often in a minute as access.yaml allows; this instance counts for itself. */
export function cloudAccess(options: CloudAccessOptions): Access {
  const { requestsPerMinute } = options;
  const limiter = perMinute(requestsPerMinute);
  const findKey = keyLookups(options);
  return async (headers, address) => {
    // IAP signs people in with a cookie, which a browser sends for pages of other sites, too.
    if (typeof headers.host === 'string') checkSameSite(headers, `https://${headers.host}`);
    const caller = await callerOf(headers, options, (text) => findKey(text, address));
    const asked = headers['x-tenant-id'];
    if (asked !== undefined && asked !== '' && asked !== caller.tenantId)
      throw new Problem(
        'ACCESS_DENIED',
        `X-Tenant-Id: you belong to ${caller.tenantId}; leave the header out`,
      );
    const detail = `more than ${requestsPerMinute} requests in a minute: wait`;
    await countRequest(limiter, callerIdentity(caller), detail);
    return caller;
  };
}

async function callerOf(
  headers: Headers,
  options: CloudAccessOptions,
  findKey: (text: string) => ReturnType<FindKey>,
): Promise<Caller> {
  const bearer = bearerOf(headers);
  if (bearer !== undefined && idOfApiKey(bearer) !== undefined) {
    const key = await findKey(bearer);
    if (key === undefined) throw new Problem('LOGIN_REQUIRED', 'the key is unknown, revoked or too old');
    const { tenantId, name, role, keyId } = key;
    return { tenantId, name, userId: name, role, keyId };
  }
  const assertion = headers[IAP_HEADER];
  if (options.iap && typeof assertion === 'string') return memberFor(assertion, options.iap, options);
  if (options.firebase && bearer !== undefined) return memberFor(bearer, options.firebase, options);
  throw new Problem('LOGIN_REQUIRED', `nobody is named who asks: ${HOW}`);
}

async function memberFor(
  token: string,
  verify: TokenVerifier,
  { memberOf }: CloudAccessOptions,
): Promise<Caller> {
  const person = await verified(token, verify);
  if (person === undefined) throw new Problem('LOGIN_REQUIRED', `the token is not valid: ${HOW}`);
  const member = memberOf(person);
  const email = person.email.toLowerCase();
  if (member === undefined)
    throw new Problem('ACCESS_DENIED', `${email} is not among the members of access.yaml`);
  return { ...member, name: email, userId: email };
}

async function verified(token: string, verify: TokenVerifier): Promise<Person | undefined> {
  try {
    return await verify(token);
  } catch (error) {
    throw new RetryableError(
      'STORE_UNAVAILABLE',
      `the keys of Google could not be read: ${errorMessage(error)}`,
    );
  }
}

function bearerOf({ authorization }: Headers): string | undefined {
  return typeof authorization === 'string' ? /^Bearer +(\S+)$/i.exec(authorization)?.[1] : undefined;
}
