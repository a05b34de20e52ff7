import { expect, it } from 'vitest';
import { createDocument, replaceDocument } from '../../../shared/core/contract/store.ts';
import type { Execution } from '../../../shared/core/schema/execution.ts';
import { handleTick } from '../../../shared/engine/handleTick.ts';
import {
  approvalType,
  executionType,
  paths,
  sessionType,
  sweepMarkType,
} from '../../../shared/lists/documents.ts';
import { SWEEP_FEATURES } from '../../../shared/lists/sweepFeatures.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { sampleApproval, sampleExecution, sampleSession } from '../../support/samples.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };

it('operators pause the installation, renew and resume it; every tenant sees the pause', async () => {
  const bench = await startApiBench({ script });
  const post = async (path: string, body: object = {}, headers = {}) => {
    const response = await bench.fetch(`/v1/system/${path}`, { method: 'POST', body, headers });
    return { status: response.status, body: await response.json() };
  };
  const get = async (path = '', headers = {}) => (await bench.fetch(`/v1/system${path}`, { headers })).json();
  const ada = { 'x-user-id': 'ada' };
  expect(await get()).toMatchObject({ pause: null });
  expect(await post('resume')).toMatchObject({ status: 200, body: { outcome: 'not_paused' } });
  const at = bench.deps.clock.now().getTime();
  const until = (ms: number) => new Date(at + ms).toISOString();
  expect(await post('pause', {}, ada)).toMatchObject({
    status: 200,
    body: { outcome: 'paused', pause: { by: 'ada', until: until(1_800_000), resumedBy: null } },
  });
  expect(await post('pause', { forMs: 60_000 })).toMatchObject({
    body: { outcome: 'renewed', pause: { by: 'ada', until: until(1_800_000) } },
  });
  expect(await post('pause', { forMs: 3_600_000 })).toMatchObject({
    body: { outcome: 'renewed', pause: { by: 'ada', until: until(3_600_000) } },
  });
  expect(await get('', { 'x-tenant-id': 'acme' })).toMatchObject({ pause: { by: 'ada' } });
  for (const path of ['pause', 'resume'])
    expect(await post(path, {}, { 'x-tenant-id': 'acme' })).toMatchObject({ status: 403 });
  expect(await post('pause', { forMs: 1 })).toMatchObject({ status: 400 });
  expect(await get('/drain')).toMatchObject({ running: 0, isDrained: false });
  bench.deps.clock.advance(10_000);
  expect(await get('/drain')).toMatchObject({ running: 0, isDrained: true });
  expect(await post('resume')).toMatchObject({ body: { outcome: 'resuming' } });
  expect(await handleTick(bench.deps, SWEEP_FEATURES)).toMatchObject({ paused: false });
  expect(await get()).toMatchObject({ pause: null });
});

it('shows tool servers and models that are away, as running agents noticed, and the work that waits for a late sweep', async () => {
  const { deps, ask } = await startApiBench({ script });
  const now = deps.clock.now();
  const session = sampleSession({ status: 'in_progress', dueAt: new Date(now.getTime() + 600_000) });
  const { sessionId } = session;
  const execution = (name: string, change: Partial<Execution>) => {
    const stored = sampleExecution({ sessionId, executionId: `01-${name}`, agentName: name, ...change });
    return createDocument(paths.execution(sessionId, stored.executionId), executionType, stored);
  };
  const missingServers = [{ name: 'logs', permanent: false }];
  const outage = { code: 'MODEL_UNAVAILABLE' as const, since: now, pauses: 1, calls: 2, parked: false };
  const sweptAt = new Date(now.getTime() - 6 * 60_000);
  const mark = { completedAt: sweptAt, listedAt: sweptAt, expireAt: now };
  const health = async () => (await ask('/v1/system')).body.health;
  await deps.store.commit([createDocument(paths.sweepMark, sweepMarkType, mark)]);
  const nothing = { servers: [], models: [], lateSweep: null, lateCanary: null };
  expect(await health()).toEqual(nothing);
  // As after a night without power: the mark is old, and agents are overdue.
  const overdue = { due: { b0: new Date(now.getTime() - 1_000) } };
  expect(
    await deps.store.commit([
      createDocument(paths.session(sessionId), sessionType, session),
      execution('a', { missingServers, ...overdue }),
      execution('b', { missingServers, outage, due: { b0: new Date(now.getTime() + 600_000) } }),
      execution('ended', { missingServers, status: 'completed', due: {}, lease: null, outage: null }),
    ]),
  ).toMatchObject({ ok: true });
  const away = {
    servers: [{ name: 'logs', agents: 2 }],
    models: [{ code: 'MODEL_UNAVAILABLE', since: now.toISOString(), agents: 1 }],
    lateCanary: null,
  };
  expect(await health(), 'the first run after the start is not over').toEqual({ ...away, lateSweep: null });
  deps.clock.advance(2 * 60_000 + 1);
  const waiting = { agents: 1, sessions: 0, messages: 0, checks: 0 };
  expect(await health()).toEqual({ ...away, lateSweep: { since: sweptAt.toISOString(), ...waiting } });
  const pauseBy = async (paused: { by: string; at: Date } | null) => {
    const stored = await deps.store.get(paths.session(sessionId), sessionType);
    if (stored === undefined) throw new Error('no session');
    const value = { ...stored.value, steering: { ...stored.value.steering, paused } };
    await deps.store.commit([replaceDocument(stored.path, sessionType, value, stored.version)]);
  };
  await pauseBy({ by: 'ada', at: now });
  expect(await health(), 'its agent waits for a person').toEqual({ ...away, lateSweep: null });
  await pauseBy(null);
  const other = await ask('/v1/system', { headers: { 'x-tenant-id': 'acme' } });
  expect(other.body.health).toEqual(nothing);
  const { body } = await ask('/v1/sessions');
  expect(body.sessions[0].agents).toEqual([
    { agentName: 'a', status: 'active', iteration: 1, outageCode: null },
    { agentName: 'b', status: 'active', iteration: 1, outageCode: 'MODEL_UNAVAILABLE' },
  ]);
});

it('approvals are listed during a pause although their time is over, because its end extends them', async () => {
  const bench = await startApiBench({ script, inMemory: false });
  const { store, clock } = bench.deps;
  const approval = sampleApproval({ until: new Date(clock.now().getTime() + 60_000) });
  const session = sampleSession({ status: 'completed', openStage: null, tenantId: 'default', userId: null });
  await store.commit([
    createDocument(paths.session(session.sessionId), sessionType, session),
    createDocument(paths.approval(approval.approvalId), approvalType, approval),
  ]);
  const listed = async () => (await bench.ask('/v1/approvals')).body.approvals.length;
  await bench.ask('/v1/system/pause', { body: {} });
  clock.advance(61_000);
  expect(await listed()).toBe(1);
  await bench.ask('/v1/system/resume', { body: {} });
  await handleTick(bench.deps, SWEEP_FEATURES);
  expect(await listed()).toBe(0);
});
