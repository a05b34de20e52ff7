// Who an assertion of Identity-Aware Proxy names, and which requests a page of another site can have caused.

import type { JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import type { Headers } from '../../kits/tenants/requestTenant.ts';
import { type ExternalIdentities, personOfIap } from './iapIdentity.ts';
import { localAccess } from './localAccess.ts';
import { checkLoopback, checkSameSite } from './sameSite.ts';

const PROJECT = 'securetoken.google.com/shop-prod';
const google: JWTPayload = {
  email: 'accounts.google.com:Ada@Shop.com',
  sub: 'accounts.google.com:1',
  hd: 'Shop.com',
};
const verified = { email_verified: true };
const external: JWTPayload = { email: `${PROJECT}:ada@Shop.com`, sub: `${PROJECT}:u1`, gcip: verified };
const inTenant = (tenant: string, gcip: object = verified): JWTPayload => ({
  email: `${PROJECT}/${tenant}:ada@shop.com`,
  sub: `${PROJECT}/${tenant}:u1`,
  gcip,
});

describe('a Google account', () => {
  it.each<[string, JWTPayload, object | undefined]>([
    ['of an organization', google, { email: 'Ada@Shop.com', domain: 'shop.com' }],
    ['of no organization', { ...google, hd: undefined }, { email: 'Ada@Shop.com', domain: undefined }],
    ['whose address has no namespace', { ...google, email: 'a@b.c' }, { email: 'a@b.c', domain: 'shop.com' }],
    [
      'without any namespace',
      { ...google, email: 'a@b.c', sub: '1' },
      { email: 'a@b.c', domain: 'shop.com' },
    ],
    ['whose subject has another issuer', { ...google, sub: `${PROJECT}:1` }, undefined],
    ['whose subject alone has another issuer', { ...google, email: 'a@b.c', sub: `${PROJECT}:1` }, undefined],
    ['with claims of Identity Platform', { ...google, gcip: verified }, undefined],
    ['without a subject', { email: 'a@b.c' }, undefined],
    ['without an address', { ...google, email: undefined }, undefined],
    ['whose address is a list', { ...google, email: ['a@b.c'] }, undefined],
    ['whose address is none', { ...google, email: 'accounts.google.com:ada' }, undefined],
    ['with two addresses', { ...google, email: 'accounts.google.com:a@b@c' }, undefined],
    ['with a blank', { ...google, email: 'accounts.google.com:a b@c' }, undefined],
    ['with two namespaces', { ...google, email: 'x:accounts.google.com:a@b.c' }, undefined],
    ['of another issuer', { ...google, email: 'evil.com:a@b.c', sub: 'evil.com:1' }, undefined],
  ])('%s', (_, claims, person) => {
    expect(personOfIap(claims, { project: 'shop-prod' })).toEqual(person);
  });
});

describe('an account of Identity Platform', () => {
  const ada = { email: 'ada@shop.com', domain: 'shop.com' };
  const all: ExternalIdentities = { project: 'shop-prod' };
  const one: ExternalIdentities = { project: 'shop-prod', tenants: ['eu-1'] };
  it.each<[string, JWTPayload, ExternalIdentities | undefined, object | undefined]>([
    ['whose address is verified', external, all, { email: 'ada@Shop.com', domain: 'shop.com' }],
    ['in a project that is not configured', external, undefined, undefined],
    ['of another project', external, { project: 'shop-prod2' }, undefined],
    ['whose address is not verified', { ...external, gcip: { email_verified: false } }, all, undefined],
    ['whose address is perhaps verified', { ...external, gcip: { email_verified: 'true' } }, all, undefined],
    ['without claims of its own', { ...external, gcip: undefined }, all, undefined],
    [
      'with claims as text',
      { ...external, gcip: JSON.stringify(verified) },
      all,
      { email: 'ada@Shop.com', domain: 'shop.com' },
    ],
    ['with broken claims', { ...external, gcip: '{' }, all, undefined],
    ['of any tenant', inTenant('us-1'), all, ada],
    ['of an accepted tenant', inTenant('eu-1'), one, ada],
    ['of another tenant', inTenant('us-1'), one, undefined],
    ['without a tenant', external, one, undefined],
    [
      'with an equal address',
      { ...external, gcip: { ...verified, email: 'ADA@shop.com' } },
      all,
      { email: 'ada@Shop.com', domain: 'shop.com' },
    ],
    ['with another address', { ...external, gcip: { ...verified, email: 'bob@shop.com' } }, all, undefined],
    ['with an address that is no text', { ...external, gcip: { ...verified, email: 7 } }, all, undefined],
    [
      'with an equal subject',
      { ...external, gcip: { ...verified, sub: 'u1' } },
      all,
      { email: 'ada@Shop.com', domain: 'shop.com' },
    ],
    ['with another subject', { ...external, gcip: { ...verified, sub: 'u2' } }, all, undefined],
    ['with an equal tenant', inTenant('eu-1', { ...verified, firebase: { tenant: 'eu-1' } }), all, ada],
    ['with another tenant', inTenant('eu-1', { ...verified, firebase: { tenant: 'us-1' } }), all, undefined],
    [
      'without a tenant, whose claims have one',
      { ...external, gcip: { ...verified, firebase: { tenant: 'us-1' } } },
      all,
      undefined,
    ],
    [
      'whose subject is of another tenant',
      { ...inTenant('eu-1'), sub: `${PROJECT}/us-1:u1` },
      all,
      undefined,
    ],
    ['whose address has no namespace', { ...external, email: 'ada@shop.com' }, all, undefined],
    ['whose subject has no namespace', { ...inTenant('eu-1'), sub: 'u1' }, all, ada],
    [
      'of an issuer that only ends so',
      { ...external, email: `x.${PROJECT}:a@b.c`, sub: `x.${PROJECT}:u1` },
      all,
      undefined,
    ],
    [
      'of an issuer with more parts',
      { ...external, email: `${PROJECT}/a/b:a@b.c`, sub: `${PROJECT}/a/b:u1` },
      all,
      undefined,
    ],
  ])('%s', (_, claims, accepted, person) => {
    expect(personOfIap(claims, accepted)).toEqual(person);
  });
});

describe('a request', () => {
  it.each<[Headers, string | undefined]>([
    [{ host: '127.0.0.1' }, undefined],
    [{ host: 'LocalHost:8080' }, undefined],
    [{ host: '[::1]:65535' }, undefined],
    [{ host: '127.0.0.1:123456' }, 'Host'],
    [{ host: '127.0.0.1.example.com' }, 'Host'],
    [{ host: 'x.localhost' }, 'Host'],
    [{ host: 'example.com' }, 'Host'],
    [{}, 'Host'],
    [{ host: ['localhost'] as never }, 'Host'],
    [{ host: 'localhost:1', origin: 'http://localhost:1' }, undefined],
    [{ host: 'localhost:1', origin: 'http://localhost:2' }, 'Origin'],
    [{ host: 'localhost:1', origin: 'https://localhost:1' }, 'Origin'],
    [{ host: 'localhost:1', origin: 'null' }, 'Origin'],
    [{ host: 'localhost:1', 'sec-fetch-site': 'cross-site' }, 'Sec-Fetch-Site'],
    [{ host: 'localhost:1', 'sec-fetch-site': 'same-site' }, undefined],
    [{ host: 'localhost:1', 'sec-fetch-site': 'none' }, undefined],
  ])('to this machine with %j is refused for %s', async (headers, header) => {
    const check = () => checkLoopback(headers);
    if (header === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(new RegExp(`^${header} `));
    expect(localAccess((text) => text).recognises?.(headers)).toBe(header === undefined);
  });

  it('with the address of the API is its own', () => {
    expect(() => checkSameSite({ origin: 'https://api' }, 'https://api')).not.toThrow();
    expect(() => checkSameSite({ origin: 'https://api.evil' }, 'https://api')).toThrow(/^Origin /);
  });

  it('to this machine has the user and the tenant of its headers, with secrets masked', async () => {
    const access = localAccess((text) => text.replace('s3cret', '*'));
    const host = 'localhost';
    expect(await access({ host }, '')).toEqual({
      tenantId: 'default',
      userId: null,
      name: 'local',
      role: 'admin',
    });
    expect(await access({ host, 'x-user-id': 'ada s3cret', 'x-tenant-id': 'acme' }, '')).toEqual({
      tenantId: 'acme',
      userId: 'ada *',
      name: 'ada *',
      role: 'admin',
    });
    await expect(access({ host, 'x-tenant-id': 'no tenant/' }, '')).rejects.toThrow(/^header X-Tenant-Id/i);
    await expect(access({ host: 'example.com' }, '')).rejects.toThrow(/^Host /);
  });
});
