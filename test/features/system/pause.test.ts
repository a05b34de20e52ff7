import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../../shared/core/contract/publisher.ts';
import { putDocument } from '../../../shared/core/contract/store.ts';
import { RetryableError } from '../../../shared/core/errors.ts';
import { CRASH_POINTS } from '../../../shared/core/kernel/crashPoints.ts';
import { PAUSE_CACHE_MS, readSystemControl } from '../../../shared/core/kernel/systemPause.ts';
import { endSystemPause } from '../../../shared/core/rescue/endSystemPause.ts';
import { rawDocumentType } from '../../../shared/core/schema/documentType.ts';
import { pauseSession } from '../../../shared/kits/steering/pauseSession.ts';
import { pauseSystem, readSystemState, resumeSystem } from '../../../shared/kits/steering/pauseSystem.ts';
import { executionType, paths } from '../../../shared/lists/documents.ts';
import { dieAt } from '../../support/dieAt.ts';
import { expectNoGaps } from '../../support/expectations.ts';
import { type BenchOptions, EXECUTION, opened } from '../../support/harness.ts';

const MINUTE = 60_000;
const ada = { by: 'ada' };
const echo = { toolCalls: [{ name: 'fixture.echo', args: { text: 'a' } }] };
const script = { conversations: [{ turns: [echo, { text: 'Done.' }] }] };

/** An investigation whose first message is not delivered, and the pause of the installation. */
async function pausable(options: Partial<BenchOptions> = {}) {
  const bench = await opened({ script, agent: { tools: ['fixture'] }, deadlineMs: 20 * MINUTE, ...options });
  const { deps } = bench;
  // The first run of the sweep lists everything.
  await bench.tick();
  return {
    ...bench,
    pause: (minutes = 30) => pauseSystem({ ...ada, forMs: minutes * MINUTE }, deps),
    resume: () => resumeSystem(ada, deps),
    state: () => readSystemState(deps),
    iterations: () => deps.publisher.published.filter(({ topic }) => topic === TOPICS.iterations).length,
    finish: async () => {
      await bench.drain();
      const run = await bench.read(bench.sessionId);
      expectNoGaps(run);
      expect(bench.deadLetters).toEqual([]);
      return run;
    },
  };
}

describe('a pause of the installation', () => {
  it('acknowledges messages without work, ends nothing, and is over after its time: everything continues', async () => {
    const bench = await pausable();
    const { deadline } = (await bench.read(bench.sessionId)).session;
    await bench.pause();
    await bench.drain();
    expect(bench.gemini.requests).toEqual([]);
    // The deadline of the session passes.
    bench.deps.clock.advance(25 * MINUTE);
    expect(await bench.tick()).toMatchObject({ paused: true, ended: 0, republished: 0 });
    bench.deps.clock.advance(5 * MINUTE);
    expect(await bench.tick()).toMatchObject({ paused: false, ended: 0, republished: 1, failed: 0 });
    const run = await bench.finish();
    expect(run.session).toMatchObject({ status: 'completed', waitedUntil: expect.any(Date) });
    expect(run.session.parts).not.toHaveProperty('modelOutages');
    expect(run.session.deadline.getTime() - deadline.getTime()).toBe(30 * MINUTE);
    expect(run.execution.deadline).toEqual(run.session.deadline);
    expect(bench.gemini.requests).toHaveLength(2);
    expect(await bench.state()).toEqual({ pause: null, running: null, isDrained: false });
  });

  it('accepts alerts, whose sessions start when it is over and get the time since they were opened', async () => {
    const bench = await pausable();
    await bench.pause();
    bench.deps.clock.advance(20 * MINUTE);
    const sessionId = await bench.publishAlert({ title: 'Second' });
    await bench.drain();
    const { deadline } = (await bench.read(sessionId)).session;
    bench.deps.clock.advance(10 * MINUTE);
    expect(await bench.tick()).toMatchObject({ republished: 2 });
    expect((await bench.read(sessionId)).session.deadline.getTime() - deadline.getTime()).toBe(10 * MINUTE);
    await bench.finish();
    expect((await bench.read(sessionId)).session.status).toBe('completed');
  });

  it('lasts longer when it is renewed, and shorter when it is resumed; both can be repeated', async () => {
    const bench = await pausable();
    const { clock } = bench.deps;
    const at = clock.now();
    expect(await bench.resume()).toEqual({ kind: 'not_paused' });
    expect(await bench.pause(10)).toMatchObject({ kind: 'paused', pause: { by: 'ada', at } });
    clock.advance(9 * MINUTE);
    const renewed = await bench.pause(10);
    expect(renewed).toMatchObject({
      kind: 'renewed',
      pause: { at, until: new Date(at.getTime() + 19 * MINUTE) },
    });
    clock.advance(5 * MINUTE);
    expect(await bench.tick()).toMatchObject({ paused: true });
    expect(await bench.resume()).toMatchObject({
      kind: 'resuming',
      pause: { until: clock.now(), resumedBy: 'ada' },
    });
    expect(await bench.resume()).toMatchObject({ kind: 'resuming', pause: { until: clock.now() } });
    expect(await bench.tick()).toMatchObject({ paused: false, republished: 1 });
    expect(await bench.resume()).toEqual({ kind: 'not_paused' });
    expect((await bench.finish()).session.status).toBe('completed');
  });

  it('is drained when no process holds a lease, and when none can know of no pause any more', async () => {
    const bench = await pausable();
    const message = bench.deps.publisher.published.at(-1);
    if (message === undefined) throw new Error('nothing was published');
    await dieAt(CRASH_POINTS.duringModelCall, bench.deps, (process) => bench.deliver(message, process));
    await bench.pause();
    expect(await bench.state()).toMatchObject({ running: 1, isDrained: false });
    bench.deps.clock.advance(PAUSE_CACHE_MS + 6_000);
    expect(await bench.state()).toMatchObject({ running: 1, isDrained: false });
    bench.deps.clock.advance(30_000);
    expect(await bench.state()).toMatchObject({ running: 0, isDrained: true });
    const idle = await pausable();
    await idle.pause();
    expect(await idle.state()).toMatchObject({ running: 0, isDrained: false });
  });

  it('lets a running iteration finish, also when it is over before, and starts no other', async () => {
    const bench = await pausable();
    const message = bench.deps.publisher.published.at(-1);
    if (message === undefined) throw new Error('nothing was published');
    const seen: unknown[] = [];
    await bench.deliver(message, {
      ...bench.deps,
      failpoint: async (point) => {
        if (point !== CRASH_POINTS.duringModelCall || seen.length > 0) return;
        await pauseSystem({ ...ada, forMs: 5_000 }, bench.deps);
        seen.push(await bench.state());
        bench.deps.clock.advance(6_000);
        seen.push(await bench.tick());
        await bench.pause();
        bench.deps.clock.advance(PAUSE_CACHE_MS);
      },
    });
    expect(seen).toMatchObject([{ running: 1 }, { paused: false, republished: 0, failed: 0 }]);
    expect((await bench.read(bench.sessionId)).execution).toMatchObject({ iteration: 2, lease: null });
    await bench.drain();
    expect(bench.gemini.requests).toHaveLength(1);
    await bench.resume();
    bench.deps.clock.advance(PAUSE_CACHE_MS);
    await bench.tick();
    expect((await bench.finish()).session.status).toBe('completed');
  });

  it('counts once however often its end is repeated, and is not over while the store fails', async () => {
    const bench = await pausable();
    const { deps, sessionId } = bench;
    const before = (await bench.read(sessionId)).session.deadline.getTime();
    await bench.pause();
    await bench.drain();
    deps.clock.advance(30 * MINUTE);
    const { commit } = deps.store;
    deps.store.commit = (writes) =>
      writes.some(({ path }) => path === paths.systemControl)
        ? Promise.resolve({ ok: false, reason: 'changed' })
        : commit(writes);
    expect(await bench.tick()).toMatchObject({ paused: true, republished: 0 });
    deps.store.commit = commit;
    const extended = await bench.read(sessionId);
    expect(extended.session.deadline.getTime() - before).toBe(30 * MINUTE);
    expect(await bench.tick()).toMatchObject({ paused: false, republished: 1 });
    expect((await bench.read(sessionId)).versions).toEqual(extended.versions);
    expect(await endSystemPause({ pause: null, version: null }, deps.clock.now(), deps)).toMatchObject({
      published: 0,
    });
    expect((await bench.finish()).session.status).toBe('completed');
  });

  it('ends an hour later although sessions cannot be extended, and lists the first of them', async () => {
    const bench = await pausable();
    for (let n = 0; n < 24; n++) await bench.publishAlert({ title: `Other ${n}` });
    await bench.pause();
    await bench.drain();
    const failing = {
      ...bench.deps,
      store: {
        ...bench.deps.store,
        list: (query: { collection: string }) =>
          query.collection.endsWith('/executions')
            ? Promise.reject(new RetryableError('STORE_UNAVAILABLE', 'too many'))
            : Promise.reject(new Error(query.collection)),
      },
    };
    bench.deps.clock.advance(30 * MINUTE);
    const first = await bench.tick(failing);
    expect(first).toMatchObject({ paused: true, failed: 25 });
    expect(first.failures).toHaveLength(20);
    bench.deps.clock.advance(59 * MINUTE);
    expect(await bench.tick(failing)).toMatchObject({ paused: true, failed: 25 });
    bench.deps.clock.advance(MINUTE);
    const { pause } = await readSystemControl(bench.deps);
    if (pause === null) throw new Error('the pause is over');
    const version = (await bench.deps.store.get(paths.systemControl, rawDocumentType))?.version ?? null;
    expect(await endSystemPause({ pause, version }, bench.deps.clock.now(), failing)).toMatchObject({
      isOver: true,
      failed: 25,
    });
    expect(await bench.state()).toMatchObject({ pause: null });
  });

  it('continues after a sweep that dies before it publishes', async () => {
    const bench = await pausable();
    await bench.pause();
    await bench.drain();
    bench.deps.clock.advance(30 * MINUTE);
    const dead = { ...bench.deps.publisher, publish: () => Promise.reject(new Error('dead')) };
    await expect(bench.tick({ ...bench.deps, publisher: dead })).rejects.toThrow('dead');
    bench.deps.clock.advance(MINUTE);
    expect(await bench.tick()).toMatchObject({ republished: 1 });
    expect((await bench.finish()).session.status).toBe('completed');
  });

  it('keeps the pause of a session, whose deadline it extends, too', async () => {
    const bench = await pausable();
    await pauseSession(bench.sessionId, ada, bench.deps);
    await bench.pause();
    await bench.drain();
    const { deadline } = (await bench.read(bench.sessionId)).session;
    bench.deps.clock.advance(30 * MINUTE);
    expect(await bench.tick()).toMatchObject({ republished: 0 });
    const { session } = await bench.read(bench.sessionId);
    expect(session.deadline.getTime() - deadline.getTime()).toBe(30 * MINUTE);
  });

  it('acknowledges dead letters', async () => {
    const bench = await pausable();
    await bench.editExecution(bench.sessionId, (execution) => ({ ...execution, claims: 3 }));
    await bench.pause();
    const data = { schemaVersion: 1, sessionId: bench.sessionId, executionId: EXECUTION, iteration: 1 };
    await bench.deps.publisher.publish(TOPICS.iterationsDead, data, {});
    await bench.drain();
    expect((await bench.read(bench.sessionId)).execution).toMatchObject({ status: 'pending' });
  });

  it('acknowledges messages of sessions that newer code has opened meanwhile', async () => {
    const bench = await pausable();
    const path = paths.execution(bench.sessionId, EXECUTION);
    const stored = await bench.deps.store.get(path, rawDocumentType);
    const newer = { ...stored?.value, schemaVersion: executionType.version + 1 };
    await bench.deps.store.commit([putDocument(path, rawDocumentType, newer)]);
    await bench.pause();
    // Outside of a pause it is refused.
    await bench.deliverNext();
    expect(bench.gemini.requests).toEqual([]);
  });

  it('is ignored when its document is broken, and stops code that is older than it', async () => {
    const bench = await pausable();
    const write = (data: object) =>
      bench.deps.store.commit([
        putDocument(paths.systemControl, rawDocumentType, { expireAt: new Date(), ...data }),
      ]);
    await write({ paused: null, schemaVersion: 2 });
    await expect(bench.deliverNext()).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    await expect(bench.tick()).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    await write({ paused: true, schemaVersion: 1 });
    expect(await bench.pause()).toMatchObject({ kind: 'paused' });
    await write({ paused: true, schemaVersion: 1 });
    bench.deps.clock.advance(PAUSE_CACHE_MS);
    expect(await bench.tick()).toMatchObject({ paused: false });
  });
});
