// access.yaml: the people and groups that can use the deployed API, and their roles. Only the API reads it.

import * as z from 'zod';
import { DEFAULT_TENANT } from '../core/schema/session.ts';
import { API_ROLES, type ApiRole } from '../schema/apiRole.ts';
import { asObject, type JsonObject } from '../text/json.ts';
import { describeExpected } from '../text/suggest.ts';
import { ConfigError, quoteName } from './configError.ts';
import { configFile } from './configFile.ts';
import { strictMapping } from './fields.ts';

const MAX_MEMBERS = 1_000;
const DEFAULT_REQUESTS = 600;

const tenant = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/,
    'must be the name of a tenant: letters, digits, "_" and "-", at most 63',
  )
  .default(DEFAULT_TENANT);
const role = z.enum(API_ROLES);
const perMinute = z.int().min(1).max(100_000);
const streams = z.int().min(1).max(1_000);

const member = z.union(
  [
    strictMapping({ email: z.email('must be an e-mail address').toLowerCase(), role, tenant }),
    strictMapping({
      domain: z
        .string()
        .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, 'must be a domain in small letters, such as example.com'),
      role,
      tenant,
    }),
  ],
  { error: ({ input }) => memberFault(asObject(input)) },
);
function memberFault({ email, domain, role: given }: JsonObject): string {
  const isRole = API_ROLES.some((one) => one === given);
  if ((email ?? domain) !== undefined && typeof given === 'string' && !isRole)
    return `unknown role ${quoteName(given)}; ${describeExpected(given, API_ROLES)}`;
  return `must have email or domain, and role (${API_ROLES.join(', ')})`;
}
/** A person, or all people of a domain, and their role. */
type Member = z.output<typeof member>;

const project = z.string().regex(/^[a-z][a-z0-9-]{4,29}$/, 'must be the id of a project');

const audience = z
  .string()
  .regex(
    /^\/projects\/\d+\/(?:global\/backendServices\/\d+|locations\/[a-z0-9-]+\/services\/[a-z0-9-]+|apps\/[a-z0-9-]+)$/,
    'must be the audience of the IAP token: /projects/NUMBER/locations/REGION/services/SERVICE, or /projects/NUMBER/global/backendServices/ID',
  );

/** The fault of an audience of IAP; undefined without one. */
export function audienceFault(text: string): string | undefined {
  return audience.safeParse(text).error?.issues[0]?.message;
}

/** access.yaml. Every field is optional. Without any, the API admits only keys. */
export const accessFileSchema = strictMapping({
  iap: strictMapping({
    /** Absent: that of the variable `IAP_AUDIENCE`, which has precedence. */
    audience: audience.optional(),
    /** Of Identity Platform, for IAP with external identities. Absent: the project of `firebase`. */
    project: project.optional(),
    /** The tenants of Identity Platform that the API admits. Absent: all of IAP, and no tenant. */
    identityTenants: z
      .array(z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the id of a tenant of Identity Platform'))
      .min(1)
      .max(100)
      .optional(),
  }).optional(),
  firebase: strictMapping({ project }).optional(),
  members: z.array(member).max(MAX_MEMBERS).default([]).superRefine(eachMemberOnce),
  requestsPerMinute: perMinute.default(DEFAULT_REQUESTS),
  /** Absent: the defaults of the API (`ApiLimits`). */
  unauthenticatedPerMinute: perMinute.optional(),
  webhooksPerMinute: perMinute.optional(),
  streamsPerCaller: streams.optional(),
  streamsPerInstance: streams.optional(),
  proxies: z.int().min(0).max(10).optional(),
});
export const accessFile = configFile({ name: 'access', schema: () => accessFileSchema });
/** The callers that the deployed API admits. */
export type AccessConfig = z.output<typeof accessFileSchema>;

const nameMember = (one: Member): string => ('email' in one ? one.email : `@${one.domain}`);

function eachMemberOnce(members: readonly Member[], context: z.RefinementCtx): void {
  for (const [index, one] of members.entries()) {
    if (members.findIndex((other) => nameMember(other) === nameMember(one)) === index) continue;
    context.addIssue({
      code: 'custom',
      path: [index],
      message: `${nameMember(one)} is already in this list`,
    });
  }
}

/** The role of the first member, who deployed the installation and so has every right in it. */
export const FIRST_MEMBER_ROLE: ApiRole = 'admin';

/**
 * The access with the first member of an installation (`INQUEST_FIRST_MEMBER`). An entry of the same address
 * keeps its role.
 * @throws ConfigError when it is no e-mail address.
 */
export function addFirstMember(access: AccessConfig, email: string): AccessConfig {
  const first = member.safeParse({ email, role: FIRST_MEMBER_ROLE });
  if (!first.success || !('email' in first.data))
    throw new ConfigError([
      {
        file: 'INQUEST_FIRST_MEMBER',
        position: null,
        path: '',
        message: `${quoteName(email)} is no e-mail address`,
      },
    ]);
  const { data } = first;
  const isListed = access.members.some((one) => nameMember(one) === data.email);
  return isListed ? access : { ...access, members: [...access.members, data] };
}

/** The access of a person: by address, else by domain. Undefined: no access. */
export function findMember(
  { members }: AccessConfig,
  { email, domain }: { email: string; domain: string | undefined },
): { role: ApiRole; tenantId: string } | undefined {
  const address = email.toLowerCase();
  const found =
    members.find((one) => 'email' in one && one.email === address) ??
    members.find((one) => 'domain' in one && one.domain === domain);
  return found && { role: found.role, tenantId: found.tenant };
}
