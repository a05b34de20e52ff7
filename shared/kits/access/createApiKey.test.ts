import { expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { createApiKey, listApiKeys } from './createApiKey.ts';

it('keys are listed with the newest first', async () => {
  let second = 0;
  const clock = { now: () => new Date(second * 1_000) };
  const store = createMemoryStore(clock.now);
  const given = { tenantId: 'default', role: 'viewer', createdBy: 'ada', lifetimeMs: 60_000 } as const;
  for (const name of ['first', 'second', 'third']) {
    second++;
    await createApiKey(
      { ...given, name },
      { store, clock: clock as never, sign: async () => 'mac' as never },
    );
  }
  expect((await listApiKeys(store)).map(({ name }) => name)).toEqual(['third', 'second', 'first']);
});
