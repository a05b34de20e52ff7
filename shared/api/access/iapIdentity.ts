// The person in an assertion of Identity-Aware Proxy: a Google account, or one of Identity Platform.

import type { JWTPayload } from 'jose';
import { asObject, asText, parseJson } from '../../text/json.ts';
import type { Person } from './person.ts';

/** Accounts of Identity Platform that are accepted: https://cloud.google.com/iap/docs/external-identities. */
export interface ExternalIdentities {
  /** The id of its project. */
  project: string;
  /** The accepted tenants of Identity Platform. Undefined: all of IAP, and accounts without a tenant. */
  tenants?: readonly string[] | undefined;
}

const GOOGLE = 'accounts.google.com';
const PLATFORM = /^securetoken\.google\.com\/([a-z][a-z0-9-]{4,29})(?:\/([A-Za-z0-9-]{1,64}))?$/;
/** The namespace of the account's issuer, and the rest. An address has no colon. */
const NAMESPACED = /^(?:([^:]*):)?([^:]+)$/;
const ADDRESS = /^[^\s@:]+@[^\s@:]+$/;

/**
 * The person of verified claims; undefined for an account of any other issuer, and for an address that was
 * not verified. Google verifies the addresses of its own accounts. Identity Platform stores the address that
 * a provider or a new user gives, so `gcip.email_verified` of the configured project decides: the owner of a
 * project can use any address in it.
 */
export function personOfIap(
  { email, sub, hd, gcip }: JWTPayload,
  external: ExternalIdentities | undefined,
): Person | undefined {
  const address = splitNamespace(email);
  const subject = splitNamespace(sub);
  if (address === undefined || subject === undefined || !ADDRESS.test(address.name)) return undefined;
  // IAP writes the issuer of a Google account into `sub` only, and any other issuer into both.
  const issuer = address.namespace ?? GOOGLE;
  if (subject.namespace !== undefined && subject.namespace !== issuer) return undefined;
  if (issuer === GOOGLE && gcip === undefined)
    return { email: address.name, domain: asText(hd)?.toLowerCase() };
  const isVerified = isVerifiedIn(issuer, { ...address, uid: subject.name }, parseGcipClaims(gcip), external);
  return isVerified
    ? { email: address.name, domain: address.name.split('@').at(-1)?.toLowerCase() }
    : undefined;
}

/** Whether the project verified the address, and its own claims do not contradict those of IAP. */
function isVerifiedIn(
  issuer: string,
  { name, uid }: { name: string; uid: string },
  gcip: Record<string, unknown>,
  external: ExternalIdentities | undefined,
): boolean {
  const [, project, tenant] = PLATFORM.exec(issuer) ?? [];
  if (external === undefined || project !== external.project) return false;
  if (external.tenants !== undefined && !external.tenants.includes(tenant ?? '')) return false;
  const { tenant: ownTenant } = asObject(gcip.firebase);
  const isSame =
    (gcip.email === undefined || asText(gcip.email)?.toLowerCase() === name.toLowerCase()) &&
    (gcip.sub === undefined || gcip.sub === uid) &&
    (ownTenant === undefined || ownTenant === tenant);
  return isSame && gcip.email_verified === true;
}

function splitNamespace(claim: unknown): { namespace: string | undefined; name: string } | undefined {
  const [, namespace, name] = NAMESPACED.exec(asText(claim) ?? '') ?? [];
  return name === undefined ? undefined : { namespace, name };
}

/** The claims of Identity Platform, which some versions of IAP send as text. */
function parseGcipClaims(gcip: unknown): Record<string, unknown> {
  return asObject(typeof gcip === 'string' ? parseJson(gcip) : gcip);
}
