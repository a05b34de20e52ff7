import { expect, it } from 'vitest';
import { sampleExecution } from '../../../../test/support/samples.ts';
import { createTestClock } from '../../../../test/support/testClock.ts';
import { executionType, paths } from '../../../lists/documents.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import { createDocument } from '../../contract/store.ts';
import type { StateDeps } from '../deps.ts';
import { computeDue } from '../state/dueAt.ts';
import { publishAgain } from './publishAgain.ts';

it.each([
  { stored: 'with the deadline within a minute', leftMs: 50_000 },
  { stored: 'with a later deadline', leftMs: 600_000 },
])(
  'the first message of an execution stored $stored is repeated once at any time, then after 30 seconds',
  async ({ leftMs }) => {
    const clock = createTestClock();
    const createdAt = clock.now();
    const memory = createMemoryStore(() => clock.now());
    const after = (ms: number) => new Date(createdAt.getTime() + ms);
    const fresh = sampleExecution({
      status: 'pending',
      lease: null,
      iteration: 1,
      publishedIteration: 0,
      endedAt: null,
      createdAt,
      deadline: after(leftMs),
    });
    const execution = { ...fresh, due: computeDue(fresh, createdAt) };
    const path = paths.execution(execution.sessionId, execution.executionId);
    await memory.commit([createDocument(path, executionType, execution)]);
    let published = 0;
    // Only the first write of a publication is stored: the process dies before it marks the execution.
    const publisher = {
      publish: () => {
        published += 1;
        return Promise.reject(new Error('the process died'));
      },
    };
    const deps = { store: memory, clock, publisher } as unknown as StateDeps;
    const repeat = async () => {
      const stored = await memory.get(path, executionType);
      if (stored === undefined) throw new Error('it is gone');
      return publishAgain(stored, deps);
    };
    for (const expected of [1, 2]) {
      await expect(repeat()).rejects.toThrow('the process died');
      clock.advance(1);
      await expect(repeat()).rejects.toMatchObject({ code: 'EXECUTION_WAITING' });
      expect(published).toBe(expected);
      clock.advance(30_000);
    }
  },
);
