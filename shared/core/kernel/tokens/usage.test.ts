import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import type { UsageLimit } from '../../schema/agent.ts';
import {
  dayUsedUp,
  dayUsedUpForTenant,
  holdTokens,
  keptTokens,
  sessionsUsedUp,
  settleTokens,
  takeTickets,
  tokenCount,
} from './usage.ts';

const at = new Date('2026-11-05T10:04:00Z');
const later = (minutes: number) => new Date(at.getTime() + minutes * 60_000);
const days = (count: number) => later(count * 24 * 60);
const limit = (most: number, chain: string | null = null): UsageLimit => ({ chain, limit: most });

describe('tickets for sessions', () => {
  it('are taken of all limits or of none, and count in their hour', async () => {
    const deps = { store: createMemoryStore(() => at) };
    const [all, triage] = [limit(3), limit(1, 'triage')];
    const take = (limits: UsageLimit[], when = at) => takeTickets(limits, when, deps);
    expect(await take([all, triage])).toBeUndefined();
    expect(await sessionsUsedUp([all, triage], at, deps)).toEqual(triage);
    expect(await take([all, triage])).toEqual(triage);
    // The refused one has returned its ticket of the other limit.
    expect(await take([all])).toBeUndefined();
    expect(await sessionsUsedUp([all], at, deps)).toBeUndefined();
    expect(await take([all])).toBeUndefined();
    expect(await sessionsUsedUp([all], at, deps)).toEqual(all);
    expect(await take([all])).toEqual(all);
    expect(await take([all, triage], later(60))).toBeUndefined();
    expect(await sessionsUsedUp([limit(1, 'other')], at, deps)).toBeUndefined();
  });
});

describe('tokens that are kept for conclusions', () => {
  const monthly = (most: number): UsageLimit => ({
    ...limit(most),
    budget: { name: 'team', period: 'month' },
  });
  it.each([
    [limit(1_000), 10, 100],
    [limit(1_000), 200, 200],
    [limit(1_000), 900, 500],
    [monthly(1_000), 5, 10],
    [{ ...limit(1_000), budget: { name: 'team', period: 'day' as const } }, 5, 100],
  ])('%j with a conclusion of %i are %i', (one, conclusion, kept) => {
    expect(keptTokens(one, conclusion)).toBe(kept);
  });
});

describe('the count of tokens', () => {
  it.each<[string, UsageLimit, string, Date]>([
    ['all', limit(1), 'usage/tokens.2026-11-05', days(30)],
    ['a chain', limit(1, 'triage'), 'usage/tokens.triage.2026-11-05', days(30)],
    [
      'a budget of a day',
      { ...limit(1), budget: { name: 'team', period: 'day' } },
      'usage/budget.team.2026-11-05',
      days(30),
    ],
    [
      'a budget of a month and a tenant',
      { ...limit(1), budget: { name: 'team', period: 'month', of: 'a/b' } },
      'usage/budget.team~YS9i.2026-11',
      days(60),
    ],
  ])('of %s has a document for its period, which is kept longer', (_, one, path, expireAt) => {
    expect(tokenCount(one, at)).toEqual({ path, expireAt });
  });

  it('has reservations of its time and of the ten minutes before', async () => {
    const deps = { store: createMemoryStore(() => at) };
    const count = tokenCount(limit(1), at);
    const hold = async (tokens: number, when: Date) => {
      const { used, reserved, hold: held } = await holdTokens(count, tokens, when, deps);
      return { used, reserved, held };
    };
    const first = await hold(100, at);
    expect([first.used, first.reserved]).toEqual([0, 100]);
    expect(first.held).toEqual({ count, window: `w${Math.floor(at.getTime() / 600_000)}`, tokens: 100 });
    expect((await hold(50, at)).reserved).toBe(150);
    expect((await hold(0, later(10))).reserved).toBe(150);
    expect((await hold(0, later(20))).reserved).toBe(0);
    await settleTokens(first.held, 70, deps);
    const after = await hold(0, at);
    expect([after.used, after.reserved]).toEqual([70, 50]);
  });

  it('has room for a call and the conclusion after it, for readers and for tenants', async () => {
    const deps = { store: createMemoryStore(() => at) };
    const [chain, all] = [limit(1_000, 'triage'), limit(1_000)];
    const { hold } = await holdTokens(tokenCount(all, at), 0, at, deps);
    await settleTokens(hold, 700, deps);
    for (const isUsedUp of [dayUsedUp, dayUsedUpForTenant]) {
      // 700 are used, and as many as the call, at least 100, are kept.
      expect(await isUsedUp([chain, all], 150, at, deps)).toBeUndefined();
      expect(await isUsedUp([chain, all], 151, at, deps)).toEqual(all);
      expect(await isUsedUp([chain, all], 501, at, deps)).toEqual(chain);
      expect(await isUsedUp([all], 151, days(1), deps)).toBeUndefined();
    }
  });
});
