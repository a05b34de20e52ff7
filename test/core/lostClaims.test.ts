// A claim that is stored although its response is lost: its holder takes it, and an iteration that never
// started is not given up.

import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { RetryableError, TerminalError } from '../../shared/core/errors.ts';
import { CRASH_POINTS } from '../../shared/core/kernel/crashPoints.ts';
import type { RuntimeDeps } from '../../shared/core/kernel/deps.ts';
import { LEASE_MS } from '../../shared/core/kernel/execution/lease.ts';
import { MAX_CLAIMS, MAX_STARTED_CLAIMS } from '../../shared/core/rescue/buryIteration.ts';
import type { Execution } from '../../shared/core/schema/execution.ts';
import type { PublishedMessage } from '../../shared/store/memory/memoryPublisher.ts';
import { type Bench, EXECUTION, opened } from '../support/harness.ts';

const DONE = { conversations: [{ turns: [{ text: 'Done.' }] }] };

const noAnswer = () => new RetryableError('STORE_UNAVAILABLE', 'no answer');

/** A process whose claims are stored without response. @param isCutOff: no reads afterwards. */
function losingClaims({ deps }: Bench, isCutOff: boolean): RuntimeDeps {
  const { store } = deps;
  let isLost = false;
  return {
    ...deps,
    store: {
      ...store,
      get: (path, type) => (isLost && isCutOff ? Promise.reject(noAnswer()) : store.get(path, type)),
      async commit(writes) {
        const result = await store.commit(writes);
        const { lease, startedClaims } = (writes[0]?.value ?? {}) as Partial<Execution>;
        if (lease == null || startedClaims !== 0) return result;
        isLost = true;
        throw noAnswer();
      },
    },
  };
}

/** The message of the first iteration. */
function iterationMessage({ deps }: Bench): PublishedMessage {
  const message = deps.publisher.published.find(({ topic }) => topic === TOPICS.iterations);
  if (message === undefined) throw new Error('nothing was published');
  return message;
}

async function deliverDeadLetter({ deps, deliver, sessionId }: Awaited<ReturnType<typeof opened>>) {
  const data = { schemaVersion: 1, sessionId, executionId: EXECUTION, iteration: 1 };
  const attributes = { CloudPubSubDeadLetterSourceDeliveryCount: '8' };
  await deps.publisher.publish(TOPICS.iterationsDead, data, attributes);
  const letter = deps.publisher.published.at(-1);
  if (letter === undefined) throw new Error('nothing was published');
  await deliver(letter);
}

/** Delivers the message to processes that fail after the claim, and waits for their leases to expire. */
async function failClaims(
  bench: Awaited<ReturnType<typeof opened>>,
  count: number,
  process: () => RuntimeDeps,
) {
  const message = iterationMessage(bench);
  for (let claim = 1; claim <= count; claim++) {
    await expect(bench.deliver(message, process())).rejects.toThrow();
    bench.deps.clock.advance(LEASE_MS + 1);
  }
}

describe('a claim whose response is lost', () => {
  it('is taken by its holder, which does the work of the same delivery', async () => {
    const bench = await opened({ script: DONE, inMemory: true });
    await bench.deliverNext(losingClaims(bench, false));
    const { session, execution } = await bench.read(bench.sessionId);
    expect(session).toMatchObject({ status: 'completed', finalAnalysis: 'Done.' });
    expect(execution).toMatchObject({ claims: 1, startedClaims: 1 });
    expect(bench.gemini.requests).toHaveLength(1);
  });

  it('does not count as started where its holder cannot read it: a dead letter publishes the iteration again', async () => {
    const bench = await opened({ script: DONE, inMemory: true });
    await failClaims(bench, MAX_STARTED_CLAIMS, () => losingClaims(bench, true));
    expect((await bench.read(bench.sessionId)).execution).toMatchObject({ claims: 3, startedClaims: 0 });
    await deliverDeadLetter(bench);
    await bench.drain();
    const { session } = await bench.read(bench.sessionId);
    expect(session).toMatchObject({ status: 'completed', finalAnalysis: 'Done.' });
    expect(bench.gemini.requests).toHaveLength(1);
  });

  it('counts for the bound of all claims', async () => {
    const bench = await opened({ script: DONE, inMemory: true, deadlineMs: 3_600_000 });
    await failClaims(bench, MAX_CLAIMS, () => losingClaims(bench, true));
    await deliverDeadLetter(bench);
    const { session } = await bench.read(bench.sessionId);
    const message = expect.stringContaining('was claimed 8 times, started 0 times and never finished');
    expect(session).toMatchObject({ status: 'failed', failure: { code: 'DELIVERY_EXHAUSTED', message } });
    expect(bench.gemini.requests).toEqual([]);
  });
});

describe('an error after the claim', () => {
  const fault = new Error('a bug');
  const steps: [string, (deps: RuntimeDeps) => RuntimeDeps][] = [
    [
      'when the time of the iteration starts',
      (deps) => ({
        ...deps,
        clock: {
          ...deps.clock,
          after() {
            throw fault;
          },
        },
      }),
    ],
    [
      'when the end of the execution fails',
      (deps) => ({
        ...deps,
        async failpoint(point) {
          if (point === CRASH_POINTS.afterClaim) throw new TerminalError('DOCUMENT_INVALID', 'broken');
          if (point === CRASH_POINTS.beforeEnding) throw fault;
        },
      }),
    ],
  ];
  it.each(steps)('%s releases the lease, and the next delivery works at once', async (_, breakProcess) => {
    const bench = await opened({ script: DONE, inMemory: true });
    const message = iterationMessage(bench);
    await expect(bench.deliver(message, breakProcess(bench.deps))).rejects.toBe(fault);
    expect((await bench.read(bench.sessionId)).execution).toMatchObject({ lease: null, startedClaims: 1 });
    await bench.deliver(message);
    expect((await bench.read(bench.sessionId)).session.status).toBe('completed');
  });
});
