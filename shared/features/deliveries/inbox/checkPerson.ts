// Decides whether the person behind an account of a chat can act on a session: the service names the address,
// access.yaml the role and the tenant.

import type { ChatPerson, ConfiguredDestination, DeliveryFailure } from '../../../contract/destination.ts';
import { RetryableError } from '../../../core/errors.ts';
import type { Session } from '../../../core/schema/session.ts';
import { API_ROLES } from '../../../schema/apiRole.ts';
import type { InboxDeps } from './deps.ts';

/** A person who can act, or why not. */
type PersonCheck = { kind: 'allowed'; email: string } | { kind: 'refused'; failure: DeliveryFailure };

/**
 * Checks a person.
 * @throws RetryableError `SOURCE_UNAVAILABLE` when the service does not answer; the press is handled later
 * then.
 */
export async function checkPerson(
  person: ChatPerson,
  { destination, tenants }: ConfiguredDestination,
  { tenantId }: Pick<Session, 'tenantId'>,
  { memberOf }: Pick<InboxDeps, 'memberOf'>,
): Promise<PersonCheck> {
  if (!tenants.includes(tenantId))
    return refusePerson('tenant_denied', 'This place does not show sessions of that tenant.');
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
  if (member.tenantId !== tenantId) return refusePerson('other_tenant', 'Your role is for another tenant.');
  return { kind: 'allowed', email };
}

function refusePerson(code: string, message: string): PersonCheck {
  return { kind: 'refused', failure: { code, message } };
}
