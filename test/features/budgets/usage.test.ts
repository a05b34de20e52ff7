// GET /v1/usage/{by}: what sessions used up, summed from their documents.

import { expect, it } from 'vitest';
import { createDocument } from '../../../shared/core/contract/store.ts';
import { tokenAllowance } from '../../../shared/kits/budgets/usageLimits.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import { passPace, useUnits } from '../../support/allowances.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { sampleSession } from '../../support/samples.ts';

const turns = [
  {
    toolCalls: [
      { name: 'fixture.echo', args: { text: 'a' } },
      { name: 'fixture.fail', args: {} },
    ],
  },
  { toolCalls: [{ name: 'fixture.echo', args: { text: 'b' } }] },
  { text: 'Done.' },
];
const DAY_MS = 24 * 3_600_000;

interface Row {
  key: string;
  count: number;
  failed: number;
  sessions: number;
  tokens: { total: number } | null;
}

it('usage is summed by day, chain, agent, model and tool, from stored documents', async () => {
  const api = await startApiBench({
    script: { conversations: Array(3).fill({ turns }) },
    agent: { tools: ['fixture'] },
  });
  const ids = [];
  for (let n = 0; n < 3; n++) {
    ids.push(await api.investigate({ title: `Alert ${n}` }));
    if (n === 0) api.deps.clock.advance(DAY_MS);
  }
  const of = async (by: string, headers = {}) => (await api.ask(`/v1/usage/${by}`, { headers })).body;
  const stored = await Promise.all(ids.map((id) => api.read(id)));
  const total = stored.reduce((sum, { session }) => sum + session.tokens.total, 0);
  expect(total).toBeGreaterThan(0);

  const days = await of('day');
  expect(days).toMatchObject({ sessions: 3, next: null });
  expect(days.usage).toMatchObject([
    { key: stored[0]?.session.createdAt.toISOString().slice(0, 10), sessions: 1, count: 1, failed: 0 },
    { key: stored[1]?.session.createdAt.toISOString().slice(0, 10), sessions: 2, count: 2 },
  ]);
  for (const [by, key, count] of [
    ['chain', 'test', 3],
    ['agent', 'investigator', 3],
    ['model', 'gemini-3.8-flash', 9],
  ] as const)
    expect((await of(by)).usage, by).toMatchObject([
      { key, sessions: 3, count, failed: 0, tokens: { total }, cost: { usd: 0 } },
    ]);
  expect(days.usage.reduce((sum: number, { tokens }: Row) => sum + (tokens?.total ?? 0), 0)).toBe(total);
  expect((await of('tool')).usage).toMatchObject([
    { key: 'fixture.echo', sessions: 3, count: 6, failed: 0, tokens: null, cost: null },
    { key: 'fixture.fail', sessions: 3, count: 3, failed: 3 },
  ]);
  expect((await api.ask('/v1/usage/day?days=1')).body.sessions).toBe(2);
  for (const by of ['day', 'chain'])
    for (const { durations, durationMs, count } of (await of(by)).usage) {
      const sum = durations.reduce((all: number, one: { count: number }) => all + one.count, 0);
      expect(sum, by).toBe(count);
      expect(durations.at(-1).upToMs).toBeGreaterThanOrEqual(Math.floor(durationMs / count));
    }
  expect((await of('tool', { 'x-tenant-id': 'acme' })).usage).toEqual([]);
  expect(await api.ask('/v1/usage/colour')).toMatchObject({ status: 400 });
  expect(await api.ask('/v1/usage/day?after=nosuch')).toMatchObject({ status: 400 });
});

it('usage of many sessions comes in pages whose rows add up', async () => {
  const api = await startApiBench({ script: { conversations: [{ turns: [{ text: 'Done.' }] }] } });
  const now = api.deps.clock.now().getTime();
  const sessions = Array.from({ length: 230 }, (_, n) =>
    sampleSession({
      sessionId: `2026-11-05-session-${n}`,
      createdAt: new Date(now - n * 1_000),
      chain: { ...sampleSession().chain, name: n % 2 === 0 ? 'even' : 'odd' },
    }),
  );
  await api.deps.store.commit(
    sessions.map((session) => createDocument(paths.session(session.sessionId), sessionType, session)),
  );
  const sizes = [];
  for (let after = ''; ; ) {
    const { body } = await api.ask(`/v1/usage/agent?${after && `after=${after}`}`);
    sizes.push(body.sessions);
    if (body.next === null) break;
    after = body.next;
  }
  expect(sizes).toEqual([100, 100, 30]);
  expect((await api.ask('/v1/usage/chain')).body).toMatchObject({
    usage: [
      { key: 'even', count: 115 },
      { key: 'odd', count: 115 },
    ],
    sessions: 230,
    next: null,
  });
});

it('budgets are listed for operators with their usage, by each value that used some, and with a forecast', async () => {
  const api = await startApiBench({
    script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    budgets: { dailyTokens: [{ chain: null, limit: 9_000_000 }] },
  });
  const month = { tokens: 5_000_000, period: 'month' as const };
  Object.assign(api.config, { budgetRules: { all: month, teams: { ...month, each: 'label.team' } } });
  const day = { ...month, period: 'day' as const };
  Object.assign(api.config.budgetRules ?? {}, { today: day });
  await api.investigate({ title: 'Disk is full', labels: { team: 'shop' } });
  await api.investigate({ title: 'Disk is slow', labels: { team: 'pay' } });
  await api.investigate({ title: 'Disk is lost', labels: { team: 'pay' } });
  // The values of other months are not listed.
  const { clock } = api.deps;
  const last = new Date(clock.now().getTime() - 32 * 24 * 3_600_000);
  const ofLast = { chain: null, budget: { name: 'teams', period: 'month' as const, of: 'web' } };
  await useUnits(api.deps, tokenAllowance(ofLast), 7, last);
  await passPace(api.deps);
  const { body } = await api.ask('/v1/budgets');
  expect(body.budgets).toMatchObject([
    { name: 'dailyTokens', of: null, period: 'day', limit: 9_000_000, state: 'large' },
    { name: 'all', of: null, period: 'month', limit: 5_000_000, used: expect.any(Number), state: 'large' },
    { name: 'teams', of: 'pay', used: 2 * body.budgets[3].used },
    { name: 'teams', of: 'shop', used: body.budgets[1].used / 3 },
    { name: 'today', period: 'day', used: body.budgets[1].used },
  ]);
  expect(body.budgets[1].used).toBeGreaterThan(0);
});
