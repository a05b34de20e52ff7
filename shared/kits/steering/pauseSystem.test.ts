import { expect, it } from 'vitest';
import { createLogger } from '../../log.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { pauseSystem, readSystemState, resumeSystem } from './pauseSystem.ts';

it('a resume that meets another change is stored after it', async () => {
  const now = new Date('2026-11-20T09:00:00Z');
  const clock = { now: () => now, every: () => () => {}, after: () => () => {} };
  const store = createMemoryStore(() => now);
  const deps = { store, clock, log: createLogger({ LOG_LEVEL: 'silent' }) };
  await pauseSystem({ by: 'ada', forMs: 60_000 }, deps);
  let isFirst = true;
  const commit: typeof store.commit = async (writes) => {
    if (isFirst) {
      isFirst = false;
      await pauseSystem({ by: 'bob', forMs: 120_000 }, deps);
    }
    return store.commit(writes);
  };
  await resumeSystem({ by: 'cy' }, { ...deps, store: { ...store, commit } });
  const { pause } = await readSystemState(deps);
  expect(pause).toMatchObject({ by: 'ada', resumedBy: 'cy', until: now });
});
