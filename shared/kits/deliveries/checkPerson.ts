// Decides whether the person behind an account of a chat can act on a session: the service names the address,
// access.yaml the role and the tenant.

import type { ChatPerson, ConfiguredDestination, DeliveryFailure } from '../../contract/destination.ts';
import { RetryableError } from '../../core/errors.ts';
import type { Session } from '../../core/schema/session.ts';
import { API_ROLES, type ApiRole } from '../../schema/apiRole.ts';

/** A person who can act, with the tenant of the role, or why not. */
type PersonCheck =
  | { kind: 'allowed'; email: string; tenantId: string }
  | { kind: 'refused'; failure: DeliveryFailure };

/** The role and the tenant that access.yaml gives a person; undefined without access. */
export type FindMember = (person: {
  email: string;
  domain: string;
}) => { role: ApiRole; tenantId: string } | undefined;

/**
 * Checks a person for a session.
 * @throws RetryableError `SOURCE_UNAVAILABLE` when the service does not answer; the press is handled later
 * then.
 */
export async function checkPerson(
  person: ChatPerson,
  configured: ConfiguredDestination,
  { tenantId }: Pick<Session, 'tenantId'>,
  deps: { memberOf: FindMember },
): Promise<PersonCheck> {
  if (!configured.tenants.includes(tenantId))
    return refusePerson('tenant_denied', 'This place does not show sessions of that tenant.');
  const check = await findResponder(person, configured, deps);
  if (check.kind === 'refused' || check.tenantId === tenantId) return check;
  return refusePerson('other_tenant', 'Your role is for another tenant.');
}

/**
 * The person of an account, if one with the role `responder` in any tenant.
 * @throws RetryableError as `checkPerson`.
 */
export async function findResponder(
  person: ChatPerson,
  { destination }: Pick<ConfiguredDestination, 'destination'>,
  { memberOf }: { memberOf: FindMember },
): Promise<PersonCheck> {
  const found = await destination.personOf?.(person);
  if (found === undefined) return refusePerson('no_buttons', 'Nobody can act from this place.');
  if (found.outcome === 'refused') return { kind: 'refused', failure: found.failure };
  if (found.outcome === 'failed')
    throw new RetryableError('SOURCE_UNAVAILABLE', `the person was not looked up: ${found.failure.message}`);
  const email = found.email.toLowerCase();
  const member = memberOf({ email, domain: email.split('@').at(-1) ?? '' });
  if (member === undefined || API_ROLES.indexOf(member.role) < API_ROLES.indexOf('responder'))
    return refusePerson(
      'no_role',
      'Your address has no role in Inquest that can act: access.yaml gives roles.',
    );
  return { kind: 'allowed', email, tenantId: member.tenantId };
}

function refusePerson(code: string, message: string): PersonCheck {
  return { kind: 'refused', failure: { code, message } };
}
