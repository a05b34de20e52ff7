// access.yaml: what it may say, and who is who by it.

import { describe, expect, it } from 'vitest';
import { writeFiles } from '../../test/support/ownConfig.ts';
import { accessFileSchema, addFirstMember, findMember } from './access.ts';
import { loadAccess } from './load.ts';

function load(yaml: string) {
  const folder = writeFiles({ 'access.yaml': yaml });
  return () => loadAccess(folder);
}

describe('access.yaml', () => {
  it('can be missing: then there are no members', () => {
    expect(loadAccess('/nosuch')).toEqual({ members: [], requestsPerMinute: 600 });
  });

  it.each([
    ['members: [{ email: ada, role: admin }]', 'members[0].email: must be an e-mail address'],
    ['members: [{ email: a@b.com }]', 'members[0]: must have email or domain, and role (viewer,'],
    ['members: [{ email: a@b.com, role: 7 }]', 'members[0]: must have email or domain'],
    ['members: [{ role: root }]', 'members[0]: must have email or domain'],
    ['members: [{ email: a@b.com, role: root }]', 'members[0]: unknown role "root"; '],
    ['members: [{ domain: b.com, role: Admin }]', 'members[0]: unknown role "Admin"; '],
    [
      'members: [{ email: a@b.com, domain: b.com, role: admin }]',
      'members[0]: must have email or domain, and role',
    ],
    [
      'members: [{ email: a@b.com, role: admin }, { email: A@b.com, role: viewer }]',
      'members[1]: a@b.com is already in this list',
    ],
    ['iap: { audience: my-service }', 'iap.audience: must be the audience of the IAP token'],
    [
      'iap: { audience: /projects/1/apps/x, project: My_Project }',
      'iap.project: must be the id of a project',
    ],
    ['iap: { audience: /projects/1/apps/x, identityTenants: [] }', 'iap.identityTenants'],
    ['iap: { audience: /projects/1/apps/x, identityTenants: [a/b] }', 'must be the id of a tenant'],
    ['firebase: { project: "" }', 'firebase.project: must be the id of a project'],
    ['requestsPerMinute: 0', 'requestsPerMinute'],
    ['streamsPerCaller: 0', 'streamsPerCaller'],
    ['streamsPerInstance: many', 'streamsPerInstance'],
    ['unauthenticatedPerMinute: 0', 'unauthenticatedPerMinute'],
    ['webhooksPerMinute: 1.5', 'webhooksPerMinute'],
    ['proxies: -1', 'proxies'],
    ['member: []', 'unknown key'],
  ])('%s is refused', (yaml, message) => {
    expect(load(yaml)).toThrow(message);
  });
});

it('an address counts before its domain, in any case of letters', () => {
  const config = accessFileSchema.parse({
    members: [
      { domain: 'b.com', role: 'viewer', tenant: 'acme' },
      { email: 'Ada@b.com', role: 'admin' },
    ],
  });
  expect(findMember(config, { email: 'ADA@b.com', domain: 'b.com' })).toEqual({
    role: 'admin',
    tenantId: 'default',
  });
  expect(findMember(config, { email: 'bob@b.com', domain: 'b.com' })).toEqual({
    role: 'viewer',
    tenantId: 'acme',
  });
  expect(findMember(config, { email: 'bob@b.com', domain: undefined })).toBeUndefined();
});

it('admits the first member as admin, and keeps the role that the file gives its address', () => {
  const access = accessFileSchema.parse({
    members: [
      { email: 'ada@b.com', role: 'viewer' },
      { domain: 'b.com', role: 'viewer' },
    ],
  });
  const roles = ['Bob@b.com', 'ada@b.com'].map((email) => {
    const found = findMember(addFirstMember(access, email), { email, domain: 'b.com' });
    return found?.role;
  });
  expect(roles).toEqual(['admin', 'viewer']);
  expect(() => loadAccess('/nosuch', 'ada')).toThrow('INQUEST_FIRST_MEMBER "ada" is no e-mail address');
  expect(loadAccess('/nosuch', '').members).toEqual([]);
});
