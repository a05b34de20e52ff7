import { describe, expect, it } from 'vitest';
import { sampleControl, sampleSession } from '../../../test/support/samples.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import { createDocument, type Store } from '../../core/contract/store.ts';
import type { Session } from '../../core/schema/session.ts';
import { controlType, paths, sessionType } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { renewWatch } from './renewWatch.ts';

async function start(session: Partial<Session> | null, control?: ReturnType<typeof sampleControl>) {
  const clock = createTestClock();
  const store = createMemoryStore(clock.now);
  const value = sampleSession({ ...session });
  const { sessionId } = value;
  if (session !== null) await store.commit([createDocument(paths.session(sessionId), sessionType, value)]);
  if (control !== undefined)
    await store.commit([createDocument(paths.control(sessionId), controlType, control)]);
  let writes = 0;
  const deps = {
    clock,
    store: {
      ...store,
      commit: ((all) => {
        writes += 1;
        return store.commit(all);
      }) as Store['commit'],
    },
  };
  const read = async () => (await store.get(paths.control(sessionId), controlType))?.value;
  return {
    clock,
    sessionId,
    deps,
    store,
    read,
    renew: () => renewWatch(sessionId, deps),
    writes: () => writes,
  };
}

describe('a watch', () => {
  it('of a session without earlier guidance makes its control state', async () => {
    const steering = { ...sampleSession().steering, guidance: 2 };
    const { renew, read, clock } = await start({ status: 'in_progress', steering });
    await renew();
    expect(await read()).toMatchObject({ paused: steering.paused !== null, guidance: 2 });
    expect((await read())?.watchedUntil?.getTime()).toBe(clock.now().getTime() + 45_000);
  });

  it('changes nothing else of a session that was steered', async () => {
    const control = sampleControl({ paused: true, guidance: 3, watchedUntil: null });
    const { renew, read } = await start({}, control);
    await renew();
    expect(await read()).toEqual({ ...control, watchedUntil: expect.any(Date) });
  });

  it('is one write for many readers', async () => {
    const { renew, writes, clock } = await start({ status: 'in_progress' });
    for (let reader = 0; reader < 10; reader++) await renew();
    expect(writes()).toBe(1);
    clock.advance(20_000);
    for (let reader = 0; reader < 10; reader++) await renew();
    expect(writes()).toBe(2);
  });

  it('loses no race, and takes nothing from who wins it', async () => {
    const { renew, read, store, sessionId } = await start({ status: 'in_progress' });
    const paused = sampleControl({ sessionId, paused: true, watchedUntil: null });
    const path = paths.control(sessionId);
    const [, result] = await Promise.all([
      renew(),
      store.commit([createDocument(path, controlType, paused)]),
      renew(),
    ]);
    expect(await read()).toMatchObject({ watchedUntil: expect.any(Date), paused: result.ok });
  });

  it('undoes no pause that is stored between its read and its write', async () => {
    const { deps, read, store, sessionId } = await start({}, sampleControl({ watchedUntil: null }));
    const path = paths.control(sessionId);
    let isFirst = true;
    const commit: Store['commit'] = (writes) => {
      if (isFirst) store.rewrite(path, (data) => ({ ...data, paused: true }));
      isFirst = false;
      return store.commit(writes);
    };
    await renewWatch(sessionId, { ...deps, store: { ...store, commit } });
    expect(await read()).toMatchObject({ paused: true, watchedUntil: expect.any(Date) });
  });

  it.each([
    ['there is none', null],
    ['it was deferred', { status: 'deferred' as const }],
  ])('of a session that does not run writes nothing: %s', async (_, session) => {
    const { renew, writes } = await start(session);
    await renew();
    expect(writes()).toBe(0);
  });
});
