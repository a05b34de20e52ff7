import { describe, expect, it } from 'vitest';
import { sampleExecution } from '../../../../test/support/samples.ts';
import { createTestClock } from '../../../../test/support/testClock.ts';
import { executionType, paths } from '../../../lists/documents.ts';
import { createLogger } from '../../../log.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import type { Announced } from '../../contract/announce.ts';
import { createDocument, replaceDocument, type Store } from '../../contract/store.ts';
import { RetryableError } from '../../errors.ts';
import type { Execution } from '../../schema/execution.ts';
import type { RuntimeDeps } from '../deps.ts';
import { createFencedWriter, LeaseLostError } from './fencedWriter.ts';

const LEASE_MS = 30_000;

/**
 * A writer in a store that stores the next commit without answer after `loseAnswer`, and fails at the next
 * commits with the errors of `fail`. Its waits end at once, and time passes by them.
 */
async function startWriter(sessionMs = 600_000) {
  const clock = createTestClock();
  const started = clock.now().getTime();
  const memory = createMemoryStore(() => clock.now());
  let losesAnswer = false;
  const failures: Error[] = [];
  const triedAfterMs: number[] = [];
  const announced: Announced[] = [];
  const after = (ms: number, action: () => void) => {
    queueMicrotask(() => clock.advance(ms));
    return clock.after(ms, action);
  };
  const store: Store = {
    ...memory,
    async commit(writes) {
      triedAfterMs.push(clock.now().getTime() - started);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      const result = await memory.commit(writes);
      if (!losesAnswer) return result;
      losesAnswer = false;
      throw new RetryableError('STORE_UNAVAILABLE', 'no answer');
    },
  };
  const newLease = () => ({
    holder: 'this',
    until: new Date(clock.now().getTime() + LEASE_MS),
    messageId: null,
  });
  const deadline = new Date(started + sessionMs);
  const execution = sampleExecution({ status: 'active', lease: newLease(), deadline, endedAt: null });
  const path = paths.execution(execution.sessionId, execution.executionId);
  const created = await memory.commit([createDocument(path, executionType, execution)]);
  const version = created.ok ? created.versions[0] : undefined;
  if (version === undefined) throw new Error('nothing was created');
  const deps = {
    store,
    clock: { ...clock, after },
    log: createLogger({ LOG_LEVEL: 'silent' }),
    announce: (_before, after, batch) => {
      announced.push(after);
      return store.commit(batch);
    },
  } as Partial<RuntimeDeps> as RuntimeDeps;
  return {
    clock,
    writer: createFencedWriter({ execution, version }, newLease, deps),
    triedAfterMs,
    announced,
    fail: (...errors: Error[]) => failures.push(...errors),
    loseAnswer: () => {
      losesAnswer = true;
    },
    stored: async () => {
      const found = await memory.get(path, executionType);
      if (found === undefined) throw new Error('it is gone');
      return found;
    },
    makeNewer: () => memory.rewrite(path, (data) => ({ ...data, schemaVersion: 99 })),
    raw: () => memory.documents(),
    writeFromOutside: async (change: Partial<Execution>) => {
      const found = await memory.get(path, executionType);
      if (found === undefined) throw new Error('it is gone');
      await memory.commit([
        replaceDocument(path, executionType, { ...found.value, ...change }, found.version),
      ]);
    },
  };
}

const unchanged = (execution: Execution) => ({ execution, writes: [] });
const counted = (execution: Execution) => ({
  execution: { ...execution, iteration: execution.iteration + 1 },
  writes: [],
});
const ended = (execution: Execution) => ({ execution: { ...execution, lease: null }, writes: [] });
const lost = (commit: Promise<void>) => expect(commit).rejects.toBeInstanceOf(LeaseLostError);

describe('after a write that was stored and not answered, the next one', () => {
  it('is built on it', async () => {
    const { writer, clock, loseAnswer, stored } = await startWriter();
    const first = writer.current().iteration;
    loseAnswer();
    await expect(writer.commit(counted, 'once')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(writer.current().iteration).toBe(first);
    clock.advance(1);
    await writer.commit(counted);
    expect(writer.current().iteration).toBe(first + 2);
    expect((await stored()).value).toEqual(writer.current());
  });

  it('is refused when the lease was given back with it', async () => {
    const { writer, loseAnswer, stored } = await startWriter();
    loseAnswer();
    await expect(writer.commit(ended, 'once')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const before = await stored();
    await lost(writer.commit(counted));
    expect(await stored()).toEqual(before);
    expect(writer.lost.signal.aborted).toBe(true);
  });

  it('is refused when the lease has run out since', async () => {
    const { writer, clock, loseAnswer, stored } = await startWriter();
    loseAnswer();
    await expect(writer.commit(unchanged, 'once')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const before = await stored();
    clock.advance(LEASE_MS);
    await lost(writer.commit(counted));
    expect(await stored()).toEqual(before);
  });

  it('is refused when another writer changed the execution since', async () => {
    const { writer, loseAnswer, stored, writeFromOutside } = await startWriter();
    loseAnswer();
    await expect(writer.commit(unchanged, 'once')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await writeFromOutside({ lastErrorMessage: 'from outside' });
    const before = await stored();
    await lost(writer.commit(counted));
    expect(await stored()).toEqual(before);
  });
});

it('a write is refused when newer code has changed the execution', async () => {
  const { writer, makeNewer, raw } = await startWriter();
  makeNewer();
  const before = raw();
  await lost(writer.commit(unchanged, 'once'));
  expect(raw()).toEqual(before);
  expect(writer.lost.signal.aborted).toBe(true);
});

describe('a write that was stored and not answered', () => {
  it('is repeated, recognised and not written twice', async () => {
    const { writer, clock, loseAnswer, stored } = await startWriter();
    const first = writer.current().iteration;
    loseAnswer();
    await writer.commit((execution) => {
      clock.advance(1);
      return counted(execution);
    });
    expect((await stored()).value.iteration).toBe(first + 1);
    expect((await stored()).value).toEqual(writer.current());
  });

  it('is recognised also when it gave the lease back', async () => {
    const { writer, loseAnswer, stored } = await startWriter();
    loseAnswer();
    await writer.commit(ended);
    expect((await stored()).value).toEqual(writer.current());
  });
});

describe('a write that the store refuses', () => {
  const unavailable = new RetryableError('STORE_UNAVAILABLE', 'no answer');
  const always = Array.from({ length: 50 }, () => unavailable);

  it('is repeated at once, then after growing pauses, until the lease ends', async () => {
    const { writer, fail, triedAfterMs, stored } = await startWriter();
    const before = await stored();
    fail(...always);
    await expect(writer.commit(counted)).rejects.toBe(unavailable);
    expect(triedAfterMs).toEqual([0, 0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500]);
    expect(await stored()).toEqual(before);
    expect(writer.lost.signal.aborted).toBe(false);
  });

  it('is not repeated at the moment at which the session ends', async () => {
    const { writer, fail, triedAfterMs } = await startWriter(1_500);
    fail(...always);
    await expect(writer.commit(counted)).rejects.toBe(unavailable);
    expect(triedAfterMs).toEqual([0, 0, 500]);
  });

  it('is repeated after a conflict, and not after an error that lasts', async () => {
    const { writer, fail, triedAfterMs } = await startWriter();
    fail(new RetryableError('STORE_CONFLICT', 'too busy'));
    await writer.commit(counted);
    expect(triedAfterMs).toEqual([0, 0]);
    const lasting = [new RetryableError('LEASE_LOST', 'gone'), new Error('STORE_UNAVAILABLE')];
    for (const error of lasting) {
      fail(error);
      await expect(writer.commit(counted)).rejects.toBe(error);
    }
    expect(triedAfterMs).toEqual([0, 0, 0, 0]);
  });

  it('ends its pause when the lease is lost meanwhile, and is not repeated', async () => {
    const { writer, fail, triedAfterMs } = await startWriter();
    fail(unavailable, unavailable);
    const commit = writer.commit(() => {
      if (triedAfterMs.length === 0) queueMicrotask(() => writer.lost.abort());
      return counted(writer.current());
    });
    await expect(commit).rejects.toBe(unavailable);
    expect(triedAfterMs).toEqual([0]);
  });

  it('can be the one that the next write is built on, when only another was lost on its way', async () => {
    const { writer, fail, clock, loseAnswer, stored } = await startWriter();
    fail(unavailable);
    await expect(writer.commit(unchanged, 'once')).rejects.toBe(unavailable);
    clock.advance(1);
    loseAnswer();
    await expect(writer.commit(counted, 'once')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const { iteration } = (await stored()).value;
    clock.advance(1);
    await writer.commit(counted);
    expect((await stored()).value.iteration).toBe(iteration + 1);
  });
});

describe('a writer', () => {
  it('is busy until its last commit has ended, also by a failure', async () => {
    const { writer, fail } = await startWriter();
    expect(writer.isBusy()).toBe(false);
    const first = writer.commit(counted);
    fail(new Error('refused'), new Error('refused'));
    const second = writer.commit(counted);
    expect(writer.isBusy()).toBe(true);
    await first.catch(() => undefined);
    expect(writer.isBusy()).toBe(true);
    await second.catch(() => undefined);
    expect(writer.isBusy()).toBe(false);
  });

  it.each([
    ['closed', (writer: ReturnType<typeof createFencedWriter>) => writer.close()],
    ['told that its lease is lost', (writer: ReturnType<typeof createFencedWriter>) => writer.lost.abort()],
  ])('does not write once it is %s', async (_, end) => {
    const { writer, triedAfterMs } = await startWriter();
    end(writer);
    await lost(writer.commit(counted));
    expect(triedAfterMs).toEqual([]);
  });

  it('announces what its commits name', async () => {
    const { writer, announced } = await startWriter();
    const after = { approvals: [] };
    await writer.commit((execution) => ({ ...counted(execution), after }));
    await writer.commit(counted);
    expect(announced).toEqual([after, {}]);
  });
});
