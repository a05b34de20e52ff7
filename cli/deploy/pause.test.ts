import { expect, it, vi } from 'vitest';
import { systemClock } from '../../shared/core/kernel/deps.ts';
import { pauseSystem, readSystemState, resumeSystem } from '../../shared/kits/steering/pauseSystem.ts';
import { createLogger } from '../../shared/log.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { type PauseOptions, storesOtherVersions, whilePaused } from './pause.ts';

function rig() {
  let now = Date.UTC(2026, 10, 24);
  // Each look at the clock is ten seconds later, so that the wait ends without time.
  const clock = {
    ...systemClock,
    now: () => {
      now += 10_000;
      return new Date(now);
    },
  };
  const deps = { store: createMemoryStore(), clock, log: createLogger({ LOG_LEVEL: 'silent' }) };
  const lines: string[] = [];
  const options = {
    by: 'ada',
    onProgress: (line: string) => void lines.push(line),
    signal: new AbortController().signal,
    pollMs: 0,
  };
  const run = (work: () => Promise<void>, more: Partial<PauseOptions> = {}) =>
    whilePaused(deps, { ...options, ...more }, work);
  return { deps, lines, run };
}

it.each([
  ['the same versions', { sessions: 3 }, { sessions: 3 }, false],
  ['a newer version', { sessions: 3 }, { sessions: 4 }, true],
  ['a new collection', { sessions: 3 }, { sessions: 3, system: 1 }, true],
  ['an older version, for a rollback', { sessions: 4 }, { sessions: 3 }, true],
])('%s need a pause: %s -> %s', (_, current, next, expected) => {
  expect(storesOtherVersions(current, next)).toBe(expected);
});

it('the installation is paused and drained during the work, and resumes after it', async () => {
  const { deps, run } = rig();
  let during: Awaited<ReturnType<typeof readSystemState>> | undefined;
  await run(async () => {
    during = await readSystemState(deps);
  });
  expect(during).toMatchObject({ pause: { by: 'ada', resumedBy: null }, isDrained: true });
  expect((await readSystemState(deps)).pause).toMatchObject({ resumedBy: 'ada' });
});

it('it resumes after a failed apply, too', async () => {
  const { deps, run } = rig();
  await expect(run(() => Promise.reject(new Error('apply failed')))).rejects.toThrow('apply failed');
  expect((await readSystemState(deps)).pause).toMatchObject({ resumedBy: 'ada' });
});

it("an operator's pause outlasts the deployment, however old it is", async () => {
  const { deps, run, lines } = rig();
  const { pause } = await pauseSystem({ by: 'grace', forMs: 3_600_000 }, deps);
  // The deployment starts later than its own limit of the drain.
  for (let looks = 0; looks < 100; looks++) deps.clock.now();
  await run(async () => {
    expect((await readSystemState(deps)).pause).toEqual({ ...pause, owners: ['operator', 'deployment'] });
  });
  expect((await readSystemState(deps)).pause).toEqual(pause);
  expect(lines.at(-1)).toBe('an operator has paused the installation, which stays paused');
});

it('an operator who resumes or pauses meanwhile neither ends nor takes the pause of the deployment', async () => {
  const { deps, run } = rig();
  await run(async () => {
    expect(await resumeSystem({ by: 'grace' }, deps)).toMatchObject({ kind: 'held', pause: { by: 'ada' } });
    await pauseSystem({ by: 'grace', forMs: 3_600_000 }, deps);
    expect((await resumeSystem({ by: 'grace' }, deps)).kind).toBe('held');
    expect((await readSystemState(deps)).pause).toMatchObject({ owners: ['deployment'], resumedBy: null });
  });
  expect((await readSystemState(deps)).pause).toMatchObject({ resumedBy: 'ada' });
});

it('a pause whose end was requested does not count: the deployment makes its own', async () => {
  const { deps, run } = rig();
  await pauseSystem({ by: 'grace', forMs: 3_600_000 }, deps);
  await resumeSystem({ by: 'grace' }, deps);
  await run(async () => {
    expect((await readSystemState(deps)).pause).toMatchObject({ resumedBy: null });
  });
  expect((await readSystemState(deps)).pause).toMatchObject({ resumedBy: 'ada' });
});

it('the pause is renewed while the work runs', async () => {
  const { deps, run } = rig();
  const untilNow = async () => (await readSystemState(deps)).pause?.until.getTime() ?? 0;
  await run(
    async () => {
      const first = await untilNow();
      while ((await untilNow()) === first) await new Promise(setImmediate);
    },
    { renewMs: 1 },
  );
});

it('there is no work when the pause is ended during the drain', async () => {
  const { deps, run } = rig();
  const work = vi.fn(async () => {});
  const commit = deps.store.commit.bind(deps.store);
  vi.spyOn(deps.store, 'commit').mockImplementationOnce(async (writes) => {
    const result = await commit(writes);
    await resumeSystem({ by: 'grace', force: true }, deps);
    return result;
  });
  await expect(run(work)).rejects.toThrow('the pause ended before');
  expect(work).not.toHaveBeenCalled();
});
