import { describe, expect, it } from 'vitest';
import { createMasker } from '../../masking/masker.ts';
import { buildTenantAttributes, ownerOfAlert } from './alertContext.ts';
import { storedTenant } from './context.ts';
import { contextOfHeaders, type Headers } from './requestTenant.ts';

const NOBODY = {
  tenantId: 'default',
  userId: null,
  sessionId: null,
  clientId: null,
  isEval: false,
  model: null,
  agent: null,
};

function fromHeaders(headers: Headers, options: Parameters<typeof contextOfHeaders>[1] = {}) {
  const reading = contextOfHeaders(headers, options);
  if (!reading.ok) throw new Error(reading.fault);
  return reading.context;
}

function faultOf(headers: Headers, options: Parameters<typeof contextOfHeaders>[1] = {}): string {
  const reading = contextOfHeaders(headers, options);
  return reading.ok ? 'none' : reading.fault;
}

describe('the context of a request', () => {
  it('is without a user in the default tenant without headers', () => {
    expect(fromHeaders({})).toEqual(NOBODY);
  });

  it.each([
    (name: string) => name,
    (name: string) => name.toLowerCase(),
    (name: string) => name.toUpperCase(),
  ])('is read from headers, whatever the case of their names (%#)', (spell) => {
    const headers = {
      'X-User-Id': 'ada@acme.example',
      'X-Tenant-Id': 'acme',
      'X-Session-Id': '2026-11-22-a',
      'X-Model-Name': 'fast',
      'X-Agent-Schema': 'assessor',
      'X-Is-Eval': 'true',
      'X-Client-Id': 'web',
      'X-Other': 'is ignored',
    };
    const spelt = Object.fromEntries(Object.entries(headers).map(([name, value]) => [spell(name), value]));
    expect(fromHeaders(spelt)).toEqual({
      tenantId: 'acme',
      userId: 'ada@acme.example',
      sessionId: '2026-11-22-a',
      clientId: 'web',
      isEval: true,
      model: 'fast',
      agent: 'assessor',
    });
  });

  it('an empty tenant stays empty, and is stored as the default one', () => {
    const context = fromHeaders({ 'x-tenant-id': '' });
    expect(context.tenantId).toBe('');
    expect(storedTenant(context)).toBe('default');
    expect(storedTenant(fromHeaders({}))).toBe('default');
    expect(storedTenant(fromHeaders({ 'x-tenant-id': 'acme' }))).toBe('acme');
  });

  it('every other empty header names nothing, and the model is the default one', () => {
    const names = ['x-user-id', 'x-session-id', 'x-model-name', 'x-agent-schema', 'x-is-eval', 'x-client-id'];
    expect(fromHeaders(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(NOBODY);
  });

  it.each([
    ['true', true],
    ['1', true],
    ['yes', true],
    ['True', true],
    ['false', false],
    ['0', false],
    ['no', false],
    ['on', false],
  ])('X-Is-Eval: %s is %s', (value, isEval) => {
    expect(fromHeaders({ 'X-Is-Eval': value }).isEval).toBe(isEval);
  });

  it('a verified identity beats the headers, for the user and for the tenant', () => {
    const identity = { userId: 'verified', tenantId: 'acme' };
    const headers = { 'X-User-Id': 'root', 'X-Tenant-Id': 'other', 'X-Client-Id': 'web' };
    expect(fromHeaders(headers, { identity })).toEqual({ ...NOBODY, ...identity, clientId: 'web' });
  });

  it.each([
    [{ 'X-User-Id': [' ada '] }, 'ada'],
    [{ 'X-User-Id': [] }, null],
    [{ 'X-User-Id': undefined, 'x-user-id': 'ada' }, 'ada'],
    [{ 'X-Other': ['a', 'b'], 'X-User-Id': 'ada' }, 'ada'],
  ])('of the headers %j names the user %s', (headers: Headers, userId) => {
    expect(fromHeaders(headers).userId).toBe(userId);
  });

  it('the session of the address is in the context, so that children have it', () => {
    expect(fromHeaders({ 'X-Session-Id': 'one' }, { sessionId: 'two' }).sessionId).toBe('two');
  });

  it.each([
    [{ 'X-Tenant-Id': 'a.b' }, 'X-Tenant-Id: must start with a letter or digit'],
    [{ 'X-Tenant-Id': 'a/b' }, 'X-Tenant-Id: must start'],
    [{ 'X-Tenant-Id': '__a' }, 'X-Tenant-Id: must start'],
    [{ 'X-Tenant-Id': 'a'.repeat(64) }, 'X-Tenant-Id: must start'],
    [{ 'X-User-Id': 'a\u202eb' }, 'X-User-Id: must be one line of plain text'],
    [{ 'X-User-Id': 'a\nb' }, 'X-User-Id: must be one line of plain text'],
    [{ 'X-Client-Id': 'a'.repeat(201) }, 'X-Client-Id: must be one line of plain text, at most 200'],
    [{ 'X-Session-Id': 'a b' }, 'X-Session-Id: must be the id of a session'],
    [{ 'X-User-Id': ['a', 'b'] }, 'X-User-Id: it is there more than once; send it once'],
    [{ 'X-User-Id': 'a', 'x-user-id': 'b' }, 'x-user-id: it is there more than once'],
  ])('is refused for %j, without the value', (headers, fault) => {
    expect(faultOf(headers)).toContain(fault);
  });

  it.each([
    [{ userId: 'a', tenantId: 'a b' }, 'the verified tenant: must'],
    [{ userId: '', tenantId: 'acme' }, 'the verified user: must be one line of plain text'],
  ])('is refused for the identity %j, not turned into the default tenant or no user', (identity, fault) => {
    expect(faultOf({}, { identity })).toContain(fault);
  });

  it('has names of 200 characters, also of characters that take two units', () => {
    const name = '😀'.repeat(200);
    expect(fromHeaders({ 'X-User-Id': name }).userId).toBe(name);
  });
});

describe('whose an alert is', () => {
  const masker = createMasker({ known: ['hunter2hunter2'] });

  it.each([
    [{}, { tenantId: 'default', userId: null }],
    [
      { tenant: '', user: '' },
      { tenantId: 'default', userId: null },
    ],
    [
      { tenant: 'acme', user: ' ada ' },
      { tenantId: 'acme', userId: 'ada' },
    ],
    [{ user: '  ' }, { tenantId: 'default', userId: null }],
    // Names of headers: an alert's webhook is no request of a user.
    [{ 'X-Tenant-Id': 'acme' }, { tenantId: 'default', userId: null }],
  ])('is given by the attributes %j', (attributes: Record<string, string>, owner) => {
    expect(ownerOfAlert(attributes, masker)).toEqual(owner);
  });

  it('is stored without secrets', () => {
    expect(ownerOfAlert({ user: 'hunter2hunter2' }, masker).userId).not.toContain('hunter2');
    expect(() => ownerOfAlert({ tenant: 'hunter2hunter2' }, masker)).toThrow(
      'attribute tenant: it is a secret',
    );
  });

  it.each([{ tenant: 'a b' }, { tenant: 'a.b' }, { user: 'a'.repeat(201) }])(
    'is refused for %j: an alert goes to no other tenant instead',
    (attributes: Record<string, string>) => {
      expect(() => ownerOfAlert(attributes, masker)).toThrow(/^attribute (tenant|user): must .*; correct it/);
    },
  );

  it('survives the way through attributes', () => {
    for (const owner of [
      { tenantId: 'acme', userId: 'ada' },
      { tenantId: 'default', userId: null },
    ])
      expect(ownerOfAlert(buildTenantAttributes(owner), masker)).toEqual(owner);
    expect(buildTenantAttributes({ tenantId: '', userId: null })).toEqual({});
  });
});
