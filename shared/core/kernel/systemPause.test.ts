import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../test/support/testClock.ts';
import { createLogger } from '../../log.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import type { PauseCache } from './deps.ts';
import { PAUSE_CACHE_MS, readSystemControl, recentSystemPause, writeSystemPause } from './systemPause.ts';

function startSystem(pauseCache?: PauseCache) {
  const clock = createTestClock();
  const store = createMemoryStore(() => clock.now());
  const deps = { store, clock, log: createLogger({ LOG_LEVEL: 'silent' }), pauseCache };
  return {
    clock,
    deps,
    write: async (pause: Parameters<typeof writeSystemPause>[0]) =>
      store.commit([writeSystemPause(pause, await readSystemControl(deps), clock.now())]),
    recent: () => recentSystemPause(deps),
    pause: { at: clock.now(), until: new Date(clock.now().getTime() + 60_000), by: 'ada', resumedBy: null },
  };
}

describe('the pause of an installation', () => {
  it('is read once in five seconds', async () => {
    const { clock, write, recent, pause } = startSystem({});
    expect(await recent()).toBeNull();
    await write(pause);
    clock.advance(PAUSE_CACHE_MS - 1);
    expect(await recent()).toBeNull();
    clock.advance(1);
    expect(await recent()).toEqual(pause);
    await write(null);
    expect(await recent()).toEqual(pause);
  });

  it('is read again when the clock was set back', async () => {
    const { clock, write, recent, pause, deps } = startSystem({});
    await recent();
    await write(pause);
    const earlier = new Date(clock.now().getTime() - 1);
    expect(await recentSystemPause({ ...deps, clock: { ...clock, now: () => earlier } })).toEqual(pause);
  });

  it('is read each time without a cache', async () => {
    const { write, recent, pause } = startSystem();
    expect(await recent()).toBeNull();
    await write(pause);
    expect(await recent()).toEqual(pause);
  });
});
