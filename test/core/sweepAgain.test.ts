// A session that a sweep could not repair is found by the next ones, however long it fails.

import { expect, it } from 'vitest';
import { RetryableError } from '../../shared/core/errors.ts';
import { startBench } from '../support/harness.ts';

const MINUTE = 60_000;

it.each([3, 12, 40])('a stage that cannot be ended for %i minutes is ended afterwards', async (minutes) => {
  let isBroken = false;
  const bench = await startBench({
    script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    inMemory: true,
    deadlineMs: 4 * 60 * MINUTE,
    wrapStore: (store) => ({
      ...store,
      commit: (writes) =>
        isBroken && writes.some(({ path }) => path.includes('/stages/'))
          ? Promise.reject(new RetryableError('STORE_UNAVAILABLE', 'the store is away'))
          : store.commit(writes),
    }),
  });
  const { deps, publishAlert, deliverNext, tick, read } = bench;
  await tick();
  const sessionId = await publishAlert();
  await deliverNext();
  isBroken = true;
  await expect(deliverNext()).rejects.toThrow('the store is away');
  for (let minute = 0; minute < minutes; minute++) {
    deps.clock.advance(MINUTE);
    expect(await tick(), `after ${minute} minutes`).toMatchObject({ listed: false, failed: 1 });
  }
  expect((await read(sessionId)).session.status).toBe('in_progress');
  isBroken = false;
  deps.clock.advance(MINUTE);
  expect(await tick()).toMatchObject({ listed: false, failed: 0, advanced: 1 });
  expect((await read(sessionId)).session.status).toBe('completed');
});
