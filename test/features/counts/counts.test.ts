// Sessions are counted once, through the running system: when they end, and again when they change.

import { expect, it } from 'vitest';
import { eraseSession, eraseTenant } from '../../../cli/erase/erase.ts';
import type { ModelScript } from '../../../local/scriptedModel/modelScript.ts';
import { TOPICS } from '../../../shared/core/contract/publisher.ts';
import { createDocument, type Store } from '../../../shared/core/contract/store.ts';
import { countSessions } from '../../../shared/features/counts/countSessions.ts';
import { countAgain } from '../../../shared/kits/counts/count.ts';
import { dayCountType, paths, sessionType } from '../../../shared/lists/documents.ts';
import { createRawDocuments } from '../../../shared/store/firestore/rawDocuments.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { IS_FULL } from '../../support/fullTests.ts';
import { composeSessionId } from '../../support/manySessions.ts';
import { sampleSession } from '../../support/samples.ts';

const DAY_MS = 24 * 3_600_000;
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

async function start(conversations: ModelScript['conversations'] = Array(3).fill({ turns })) {
  const api = await startApiBench({
    script: { conversations },
    agent: { tools: ['fixture'] },
    chat: {},
  });
  const report = async (by: string, query = '') => (await api.ask(`/v1/usage/${by}${query}`)).body;
  return {
    ...api,
    report,
    /** One run of the sweep's part. */
    count: (store: Store = api.deps.store) => countSessions(api.documents).run({ ...api.deps, store }),
  };
}

it('usage is that of the stored documents, by day, chain, agent, model and tool', async () => {
  const { deps, investigate, read, count, report, ask } = await start();
  const ids = [];
  for (let n = 0; n < 3; n++) {
    ids.push(await investigate({ title: `Alert ${n}` }));
    if (n === 0) deps.clock.advance(DAY_MS);
  }
  expect((await report('day')).usage).toEqual([]);
  await count();
  const stored = await Promise.all(ids.map((id) => read(id)));
  const total = stored.reduce((sum, { session }) => sum + session.tokens.total, 0);
  expect(total).toBeGreaterThan(0);
  const days = (await report('day')).usage;
  expect(days).toMatchObject([
    { key: stored[0]?.session.createdAt.toISOString().slice(0, 10), sessions: 1, count: 1, failed: 0 },
    { key: stored[1]?.session.createdAt.toISOString().slice(0, 10), sessions: 2, count: 2 },
  ]);
  for (const [by, key, all] of [
    ['chain', 'test', 3],
    ['agent', 'investigator', 3],
    ['model', 'gemini-3.8-flash', 9],
  ] as const)
    expect((await report(by)).usage, by).toMatchObject([
      { key, sessions: 3, count: all, failed: 0, tokens: { total }, cost: { usd: 0 } },
    ]);
  expect((await report('tool')).usage).toMatchObject([
    { key: 'fixture.echo', sessions: 3, count: 6, failed: 0, tokens: null, cost: null },
    { key: 'fixture.fail', sessions: 3, count: 3, failed: 3 },
  ]);
  expect((await report('day', '?days=1')).usage).toMatchObject([{ count: 2 }]);
  for (const { durations, durationMs, count: ended } of days) {
    expect(durations.reduce((all: number, one: { count: number }) => all + one.count, 0)).toBe(ended);
    expect(durations.at(-1).upToMs).toBeGreaterThanOrEqual(Math.floor(durationMs / ended));
  }
  const other = await ask('/v1/usage/tool', { headers: { 'x-tenant-id': 'acme' } });
  expect(other.body).toMatchObject({ usage: [], countedSince: null });
  expect(await ask('/v1/usage/colour')).toMatchObject({ status: 400 });
});

it('a session counts once, also when two sweeps run, one dies, or its messages come again', async () => {
  const { deps, investigate, count, report, publishAlert, deliver, drain } = await start();
  await investigate({ title: 'Disk is full' });
  const once = () => report('tool').then(({ usage }) => usage.map((row: { count: number }) => row.count));
  const dying: Store = { ...deps.store, commit: () => Promise.reject(new Error('died')) };
  await expect(count(dying)).rejects.toThrow('died');
  // The answer to the commit is lost.
  const lossy: Store = {
    ...deps.store,
    commit: (writes) => deps.store.commit(writes).then(() => Promise.reject(new Error('lost'))),
  };
  await expect(count(lossy)).rejects.toThrow('lost');
  expect(await once()).toEqual([2, 1]);
  await Promise.all([count(), count()]);
  await deps.store.commit([countAgain((await readFirst(deps.store)).value, deps.clock.now())]);
  await Promise.all([count(), count()]);
  expect(await once()).toEqual([2, 1]);
  await publishAlert({ title: 'Login fails' });
  for (const message of deps.publisher.published.filter(({ topic }) => topic === TOPICS.alerts))
    await deliver(message);
  await drain();
  for (const message of [...deps.publisher.published]) await deliver(message);
  await drain();
  await count();
  expect(await once()).toEqual([4, 2]);
});

const readFirst = async (store: Store) => {
  const [first] = await store.list({ collection: paths.sessions }, sessionType);
  if (first === undefined) throw new Error('no session');
  return first;
};

it('a session is counted again after a question and a review, by the difference', async () => {
  const { investigate, ask, drain, count, report } = await start([
    { when: 'You are chat', turns: [{ text: 'It was full.' }] },
    { turns },
  ]);
  const sessionId = await investigate({ title: 'Disk is full' });
  await count();
  const [before] = (await report('day')).usage;
  const asked = await ask(`/v1/sessions/${sessionId}/questions`, { body: { text: 'Why?' } });
  expect(asked.status, JSON.stringify(asked.body)).toBeLessThan(300);
  await drain();
  await count();
  const [after] = (await report('day')).usage;
  expect(after).toMatchObject({ sessions: 1, count: 1, durationMs: before.durationMs });
  expect(after.tokens.total).toBeGreaterThan(before.tokens.total);
  const rate = (rating: string) =>
    ask(`/v1/sessions/${sessionId}/work`, { body: { kind: 'review', review: { rating } } });
  const calibrate = async () => (await ask('/v1/calibration')).body.calibration;
  expect(await calibrate()).toEqual([]);
  for (const rating of ['wrong', 'right']) {
    await rate(rating);
    await count();
    expect(await calibrate()).toMatchObject([{ chain: 'test', verdict: null, sessions: 1, [rating]: 1 }]);
  }
  expect((await calibrate())[0]).toMatchObject({ wrong: 0, models: ['gemini-3.8-flash'] });
});

it.runIf(IS_FULL)('1,000 sessions write a document of counts ten times', async () => {
  const { deps, count, report } = await start();
  const now = deps.clock.now();
  const sessions = Array.from({ length: 1_050 }, (_, n) =>
    sampleSession({ sessionId: composeSessionId(n), status: 'completed', createdAt: now, endedAt: now }),
  );
  for (let from = 0; from < sessions.length; from += 200)
    await deps.store.commit(
      sessions
        .slice(from, from + 200)
        .flatMap((one) => [
          createDocument(paths.session(one.sessionId), sessionType, one),
          countAgain(one, now),
        ]),
    );
  const written = new Map<string, number>();
  const counting: Store = {
    ...deps.store,
    commit(writes) {
      for (const { path } of writes) written.set(path, (written.get(path) ?? 0) + 1);
      return deps.store.commit(writes);
    },
  };
  await count(counting);
  const isCount = (path: string) => path.startsWith(dayCountType.paths.dayCounts);
  expect([...written].filter(([path]) => isCount(path)).map(([, times]) => times)).toEqual([10, 10]);
  expect(Math.max(...written.values())).toBe(10);
  expect((await report('day')).usage).toMatchObject([{ sessions: 1_000 }]);
  await count();
  expect((await report('day')).usage).toMatchObject([{ sessions: 1_050 }]);
  expect(await deps.store.count({ collection: dayCountType.paths.dayCounts })).toBe(2);
});

it('counts of an erased session stay, without its content, and those of an erased tenant go', async () => {
  const { deps, projectId, investigate, count, report } = await start();
  const sessionId = await investigate({ title: 'Disk is full' });
  await count();
  const raw = createRawDocuments({ projectId, timeoutMs: 60_000 });
  const erase = { store: deps.store, raw, dryRun: false, onErased: () => {} };
  try {
    await eraseSession(sessionId, erase);
    await count();
    expect((await report('chain')).usage).toMatchObject([{ key: 'test', sessions: 1 }]);
    // A session that was deleted before it was counted.
    await deps.store.commit([
      countAgain({ sessionId: 'gone', expireAt: deps.clock.now() }, deps.clock.now()),
    ]);
    await count();
    expect((await report('chain')).usage).toMatchObject([{ key: 'test', sessions: 1 }]);
    await eraseTenant('default', erase);
    expect((await report('chain')).usage).toEqual([]);
  } finally {
    await raw.close();
  }
});
