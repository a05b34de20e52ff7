import { describe, expect, it } from 'vitest';
import { sampleExecution } from '../../../../test/support/samples.ts';
import { createTestClock } from '../../../../test/support/testClock.ts';
import { executionType, paths } from '../../../lists/documents.ts';
import { createLogger } from '../../../log.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import { createDocument, replaceDocument, type Store } from '../../contract/store.ts';
import { RetryableError } from '../../errors.ts';
import { NOTHING, readMessages } from '../conversation/conversation.ts';
import { createConversationCache } from '../conversation/conversationCache.ts';
import type { RuntimeDeps } from '../deps.ts';
import { commitBatch } from './commitBatch.ts';
import { claimExecution, LEASE_MS, RENEW_EVERY_MS } from './lease.ts';

/** What becomes of the next commits: each is written or not, and answered or not. */
type Fate = 'lost' | 'written without an answer';

/** A holder of an execution without messages, of which its process keeps all there is: nothing. */
async function startHolder() {
  const clock = createTestClock();
  const memory = createMemoryStore(() => clock.now());
  const fates: Fate[] = [];
  const store: Store = {
    ...memory,
    async commit(writes) {
      const fate = fates.shift();
      const result = fate === 'lost' ? undefined : await memory.commit(writes);
      if (fate === undefined && result !== undefined) return result;
      throw new RetryableError('STORE_UNAVAILABLE', 'no answer');
    },
  };
  const conversations = createConversationCache();
  const deadline = new Date(clock.now().getTime() + 600_000);
  const execution = sampleExecution({
    lease: null,
    endedAt: null,
    lastMessage: 0,
    pendingCalls: [],
    deadline,
  });
  const { sessionId, executionId } = execution;
  const path = paths.execution(sessionId, executionId);
  await memory.commit([createDocument(path, executionType, execution)]);
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const deps = { store, clock, log, conversations, newId: () => 'this' } as unknown as RuntimeDeps;
  const stored = await memory.get(path, executionType);
  const held = stored && (await claimExecution(stored, null, deps, (claimed) => claimed));
  if (held === undefined) throw new Error('it could not be claimed');
  conversations.keep(execution, NOTHING);
  let builds = 0;
  return {
    clock,
    fates,
    isKept: () => conversations.has(execution),
    kept: () => new Map(conversations.get(execution)),
    stored: async () => (await readMessages(memory, sessionId, executionId)).value,
    builds: () => builds,
    say: (textContent: string) =>
      commitBatch(held, deps, (current, batch) => {
        builds++;
        batch.appendMessage({ role: 'user', blocks: [{ blockType: 'text', textContent }] });
        return { ...current, ...batch.counters() };
      }),
    writeFromOutside: async () => {
      const found = await memory.get(path, executionType);
      if (found === undefined) throw new Error('it is gone');
      await memory.commit([
        replaceDocument(path, executionType, { ...found.value, lease: null }, found.version),
      ]);
    },
  };
}

describe('messages are kept', () => {
  it('when their commit was confirmed', async () => {
    const { say, kept, stored } = await startHolder();
    await say('one');
    await say('two');
    expect(kept().size).toBe(2);
    expect(kept()).toEqual(await stored());
  });

  it('when a try without an answer turns out to have been stored', async () => {
    const { say, kept, stored, fates } = await startHolder();
    fates.push('written without an answer');
    await say('one');
    expect(kept().size).toBe(1);
    expect(kept()).toEqual(await stored());
  });

  it('once, when the batch was built again on a renewal that was stored without an answer', async () => {
    const { say, kept, stored, fates, clock, builds } = await startHolder();
    fates.push('written without an answer');
    clock.advance(RENEW_EVERY_MS);
    await say('one');
    expect(builds()).toBe(2);
    expect(kept().size).toBe(1);
    expect(kept()).toEqual(await stored());
  });
});

describe('nothing of an execution stays kept', () => {
  it.each<Fate>(['lost', 'written without an answer'])(
    'when a commit is %s for as long as the lease lasts',
    async (fate) => {
      const { say, isKept, fates, clock } = await startHolder();
      await say('one');
      fates.push(fate, 'lost');
      clock.advance(LEASE_MS);
      await expect(say('two')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect(isKept()).toBe(false);
    },
  );

  it('when another writer changed it', async () => {
    const { say, isKept, writeFromOutside } = await startHolder();
    await say('one');
    await writeFromOutside();
    await expect(say('two')).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(isKept()).toBe(false);
  });
});
