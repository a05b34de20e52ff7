// Who can act from a chat: the service names the address, access.yaml the role and the tenant.

import { expect, it } from 'vitest';
import type { ConfiguredDestination, PersonResult } from '../../contract/destination.ts';
import type { ApiRole } from '../../schema/apiRole.ts';
import { checkPerson } from './checkPerson.ts';

const PERSON = { userId: 'U1', team: 'T1' };
const FOUND: PersonResult = { outcome: 'found', email: 'Ana@Example.com' };

/** The result for a person of a tenant; `found` undefined: the place has no people. */
function check(
  found: PersonResult | undefined,
  member: { role: ApiRole; tenantId: string } | undefined,
  tenantId = 'acme',
) {
  const asked: unknown[] = [];
  const personOf = async (person: unknown) => {
    asked.push(person);
    return found as PersonResult;
  };
  const destination = found === undefined ? {} : { personOf };
  const configured = { destination, tenants: ['acme'] } as unknown as ConfiguredDestination;
  const memberOf = (who: unknown) => {
    asked.push(who);
    return member;
  };
  return { asked, checked: checkPerson(PERSON, configured, { tenantId }, { memberOf }) };
}

it.each(['responder', 'admin'] as const)(
  'a %s of the tenant can act, in the name of the address',
  async (role) => {
    const { asked, checked } = check(FOUND, { role, tenantId: 'acme' });
    expect(await checked).toEqual({ kind: 'allowed', email: 'ana@example.com', tenantId: 'acme' });
    expect(asked).toEqual([PERSON, { email: 'ana@example.com', domain: 'example.com' }]);
  },
);

const failure = { code: 'guest', message: 'Guests cannot act.' };
it.each<[string, PersonResult | undefined, { role: ApiRole; tenantId: string } | undefined, string, string]>([
  [
    'of a tenant that the place does not show',
    FOUND,
    { role: 'admin', tenantId: 'other' },
    'other',
    'tenant_denied',
  ],
  ['where nobody can act', undefined, { role: 'admin', tenantId: 'acme' }, 'acme', 'no_buttons'],
  [
    'whom the service refuses',
    { outcome: 'refused', failure },
    { role: 'admin', tenantId: 'acme' },
    'acme',
    'guest',
  ],
  ['without a role', FOUND, undefined, 'acme', 'no_role'],
  ['who can only read', FOUND, { role: 'viewer', tenantId: 'acme' }, 'acme', 'no_role'],
  ['with a role for another tenant', FOUND, { role: 'admin', tenantId: 'other' }, 'acme', 'other_tenant'],
])('a person %s cannot act', async (_, found, member, tenantId, code) => {
  const { checked } = check(found, member, tenantId);
  expect(await checked).toEqual({ kind: 'refused', failure: { code, message: expect.any(String) } });
});

it('a person whom the service does not name now is asked about later', async () => {
  const { checked } = check({ outcome: 'failed', failure }, { role: 'admin', tenantId: 'acme' });
  await expect(checked).rejects.toThrow('the person was not looked up: Guests cannot act.');
});
