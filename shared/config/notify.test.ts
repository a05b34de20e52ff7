import { describe, expect, it } from 'vitest';
import type { Destinations } from './destinations.ts';
import { createNotify, notifyField } from './notify.ts';

const common = { tenants: ['default', 'shop'], onDoubt: 'repeat' as const };
const DESTINATIONS: Destinations = {
  oncall: { ...common, kind: 'slack', settings: { token: 'xoxb-a', channel: 'C0123456789' } },
  mail: { ...common, kind: 'email', tenants: ['default'], settings: { host: 'a', from: 'a@b', to: ['c@d'] } },
};
const field = notifyField(Object.keys(DESTINATIONS));
const parse = (entries: unknown) => field.parse(entries) ?? [];

/** The destinations of a session with entries of its chain and of its rule. */
function resolve(
  { chain = [], rule = [] }: { chain?: unknown; rule?: unknown },
  session: { severity?: string | null; tenantId?: string } = {},
) {
  const rules = [{ name: 'night', notify: parse(rule) }];
  const notify = createNotify(() => ({ notify: parse(chain) }), { rules }, DESTINATIONS);
  return notify({ chain: 'a', rule: 'night', tenantId: 'default', severity: 'warning', ...session });
}

/** The messages of the faults of entries. */
const faultsOf = (entries: unknown) =>
  field.safeParse(entries).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('a session', () => {
  it('is reported as configured, or by default as its kind of destination can show it', () => {
    expect(resolve({ chain: [{ to: 'oncall', when: 'ended' }] })).toEqual([
      { to: 'oncall', when: ['ended'], digestMs: null },
    ]);
    expect(resolve({ chain: [{ to: 'oncall' }, { to: 'mail' }] })).toEqual([
      { to: 'oncall', when: ['opened', 'approval', 'ended', 'failed', 'resolved'], digestMs: null },
      { to: 'mail', when: ['approval', 'ended', 'failed'], digestMs: null },
    ]);
  });

  it('that is critical is also reported when nothing investigates it', () => {
    expect(resolve({ chain: [{ to: 'mail' }] }, { severity: 'P1' })[0]?.when).toEqual([
      'approval',
      'ended',
      'failed',
      'deferred',
      'rejected',
    ]);
  });

  it('of severity info is reported only where an entry names that severity', () => {
    const entry = { to: 'oncall', severity: ['info'], digest: { every: '1h' } };
    expect(resolve({ chain: [{ to: 'oncall' }] }, { severity: 'info' })).toEqual([]);
    expect(resolve({ chain: [entry] }, { severity: 'info' })).toMatchObject([{ digestMs: 3_600_000 }]);
    expect(resolve({ chain: [entry] }, { severity: 'critical' })).toEqual([]);
  });

  it('is reported as its rule of triage wants, before its chain', () => {
    const both = { rule: [{ to: 'oncall', when: ['failed'] }], chain: [{ to: 'oncall' }, { to: 'mail' }] };
    expect(resolve(both).map(({ to, when }) => [to, when.length])).toEqual([
      ['oncall', 1],
      ['mail', 3],
    ]);
  });

  it('of a tenant that a destination does not show is not reported there', () => {
    expect(resolve({ chain: [{ to: 'oncall' }, { to: 'mail' }] }, { tenantId: 'shop' })).toMatchObject([
      { to: 'oncall' },
    ]);
  });
});

it('an entry keeps the verdicts with which it reports the end', () => {
  expect(resolve({ chain: [{ to: 'oncall', verdict: 'confirmed' }, { to: 'mail' }] })).toMatchObject([
    { to: 'oncall', verdict: ['confirmed'] },
    { to: 'mail' },
  ]);
});

it('an outcome is reported only where an entry names it', () => {
  expect(resolve({ chain: [{ to: 'mail', when: 'outcome' }] })).toMatchObject([{ when: ['outcome'] }]);
  const byDefault = resolve({ chain: [{ to: 'oncall' }, { to: 'mail' }] }, { severity: 'P1' });
  expect(byDefault.flatMap(({ when }) => when)).not.toContain('outcome');
});

it('names mistakes with their place and the fix', () => {
  expect(faultsOf([{ to: 'oncal' }])?.[0]).toMatch(/^0\.to: unknown destination "oncal".*oncall/);
  expect(faultsOf([{ to: 'oncall', when: ['ended', 'outcomes'] }])?.[0]).toMatch(/^0\.when\.1: .*"outcome"/);
  expect(faultsOf([{ to: 'oncall', verdict: 'high' }])?.[0]).toMatch(/^0\.verdict: .*"confirmed"/);
  expect(faultsOf([{ to: 'oncall', digest: { every: '2d' } }])?.[0]).toMatch(
    /^0\.digest\.every: must be at most 24h/,
  );
});
