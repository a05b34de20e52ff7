import { describe, expect, it } from 'vitest';
import { sampleExecution } from '../../../../test/support/samples.ts';
import { createTestClock } from '../../../../test/support/testClock.ts';
import { executionType, paths } from '../../../lists/documents.ts';
import { createLogger } from '../../../log.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import { createDocument, replaceDocument, type Store } from '../../contract/store.ts';
import { RetryableError } from '../../errors.ts';
import type { Execution } from '../../schema/execution.ts';
import type { RuntimeDeps } from '../deps.ts';
import { createFencedWriter, LeaseLostError } from './fencedWriter.ts';

const LEASE_MS = 30_000;

/** A writer in a store that stores the next commit without answer after `loseAnswer`. */
async function startWriter() {
  const clock = createTestClock();
  const memory = createMemoryStore(() => clock.now());
  let losesAnswer = false;
  const store: Store = {
    ...memory,
    async commit(writes) {
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
  const deadline = new Date(clock.now().getTime() + 600_000);
  const execution = sampleExecution({ status: 'active', lease: newLease(), deadline, endedAt: null });
  const path = paths.execution(execution.sessionId, execution.executionId);
  const created = await memory.commit([createDocument(path, executionType, execution)]);
  const version = created.ok ? created.versions[0] : undefined;
  if (version === undefined) throw new Error('nothing was created');
  const deps = { store, clock, log: createLogger({ LOG_LEVEL: 'silent' }) } as unknown as RuntimeDeps;
  return {
    clock,
    writer: createFencedWriter({ execution, version }, newLease, deps),
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
