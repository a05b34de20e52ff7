import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { RetryableError } from '../../shared/core/errors.ts';
import { CRASH_POINTS } from '../../shared/core/kernel/crashPoints.ts';
import { LEASE_MS } from '../../shared/core/kernel/execution/lease.ts';
import { PUBLICATION_MS } from '../../shared/core/kernel/execution/publishAgain.ts';
import { MAX_STARTED_CLAIMS } from '../../shared/core/rescue/buryIteration.ts';
import type { IterationMessage } from '../../shared/core/schema/iterationMessage.ts';
import type { PublishedMessage } from '../../shared/store/memory/memoryPublisher.ts';
import { dieAt } from '../support/dieAt.ts';
import { expectNoGaps, listErrorCodes, listEventTypes, listToolResults } from '../support/expectations.ts';
import { agentOf, type Bench, EXECUTION, investigate, opened } from '../support/harness.ts';

const { afterClaim, afterCommitA, afterCommitB, afterEnding, beforeEnding, duringModelCall } = CRASH_POINTS;
const agent = { tools: ['fixture'] };
const done = { conversations: [{ turns: [{ text: 'Done.' }] }] };
const call = (name: string) => ({ name: `fixture.${name}` });
const twoTurns = {
  conversations: [{ turns: [{ toolCalls: [call('fail'), call('echo')] }, { text: 'Done.' }] }],
};
const analysis = (name: string) => ({ when: `You are ${name},`, turns: [{ text: `${name} says memory.` }] });
const twoAgents = {
  stages: [{ name: 'look', agents: [agentOf({ name: 'logs' }), agentOf({ name: 'metrics' })] }],
  script: { conversations: [analysis('logs'), analysis('metrics')] },
};

/** The dead letter Pub/Sub makes of a message after so many deliveries. */
async function deadLetterOf(
  { deps: { publisher } }: Bench,
  data: unknown,
  deliveries: number | undefined = 20,
): Promise<PublishedMessage> {
  const attributes = { CloudPubSubDeadLetterSourceDeliveryCount: String(deliveries) };
  await publisher.publish(TOPICS.iterationsDead, data, attributes);
  return last(publisher.published);
}

function last<T>(list: T[]): T {
  const element = list.at(-1);
  if (element === undefined) throw new Error('there is none');
  return element;
}

/** Iteration messages, in the order they were published. */
const published = ({ deps }: Bench) =>
  deps.publisher.published
    .filter(({ topic }) => topic === TOPICS.iterations)
    .map(({ data }) => (JSON.parse(data.toString()) as IterationMessage).iteration);

const iteration = (sessionId: string, number: number, executionId = EXECUTION): IterationMessage => ({
  schemaVersion: 1,
  sessionId,
  executionId,
  iteration: number,
});

/** A session of which one execution was claimed as often as an iteration may be, and never got further. */
async function tried(
  options: Parameters<typeof opened>[0],
  executionId = EXECUTION,
): Promise<Awaited<ReturnType<typeof opened>>> {
  const bench = await opened(options);
  await bench.editExecution(
    bench.sessionId,
    (execution) => ({ ...execution, claims: MAX_STARTED_CLAIMS, startedClaims: MAX_STARTED_CLAIMS }),
    executionId,
  );
  return bench;
}

describe('the dead letter of the current iteration', () => {
  it('ends the execution with one error that names the number of deliveries and the consequence', async () => {
    const bench = await tried({ script: done });
    const letter = await deadLetterOf(bench, iteration(bench.sessionId, 1), 20);
    await bench.deliver(letter);
    const run = await bench.read(bench.sessionId);
    expect(listEventTypes(run)).toEqual(['error failed']);
    expect(run.timeline.slice(0, 1)).toMatchObject([
      {
        content: expect.stringMatching(
          /^Iteration 1 was claimed 3 times, started 3 times and never finished; all 20 deliveries of its message failed/,
        ),
        metadata: { code: 'DELIVERY_EXHAUSTED', retryable: false, recoverable: false, iteration: 1 },
      },
    ]);
    expect(run.execution).toMatchObject({ status: 'failed', failure: { code: 'DELIVERY_EXHAUSTED' } });
    expect(run.stages).toMatchObject([{ status: 'failed' }]);
    expect(run.session).toMatchObject({ status: 'failed', failure: { code: 'DELIVERY_EXHAUSTED' } });
    expect(await bench.rejected()).toEqual([]);
    expectNoGaps(run);
  });

  it.each([
    ['without', {}],
    ['with a broken', { CloudPubSubDeadLetterSourceDeliveryCount: 'many' }],
  ])('%s count of deliveries ends it too', async (_, attributes: Record<string, string>) => {
    const bench = await tried({ script: done });
    const { publisher } = bench.deps;
    await publisher.publish(TOPICS.iterationsDead, iteration(bench.sessionId, 1), attributes);
    await bench.deliver(last(publisher.published));
    const run = await bench.read(bench.sessionId);
    expect(run.timeline[0]?.content).toContain('every delivery of its message failed');
    expect(listErrorCodes(run)).toEqual(['DELIVERY_EXHAUSTED']);
  });

  it('is recorded once, whatever is delivered again: itself, a copy, the iteration', async () => {
    const bench = await tried({ script: done });
    const letter = await deadLetterOf(bench, iteration(bench.sessionId, 1));
    const copy = await deadLetterOf(bench, iteration(bench.sessionId, 1), 21);
    await bench.deliver(letter);
    const { versions } = await bench.read(bench.sessionId);
    for (const message of [letter, copy, ...bench.deps.publisher.published]) await bench.deliver(message);
    expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
    expect(bench.gemini.requests).toEqual([]);
  });

  it('is recorded once when copies come at the same moment', async () => {
    const bench = await tried({ script: done });
    const letter = await deadLetterOf(bench, iteration(bench.sessionId, 1));
    await Promise.all(Array.from({ length: 5 }, () => bench.deliver(letter)));
    const run = await bench.read(bench.sessionId);
    expect(listErrorCodes(run)).toEqual(['DELIVERY_EXHAUSTED']);
    expectNoGaps(run);
  });

  it('ends the iteration of a dead holder, and marks calls whose effect is unverified', async () => {
    const bench = await tried({ script: twoTurns, agent });
    await dieAt(afterCommitA, bench.deps, (process) => bench.deliverNext(process));
    bench.deps.clock.advance(LEASE_MS + 1);
    await bench.deliver(await deadLetterOf(bench, iteration(bench.sessionId, 1)));
    const run = await bench.read(bench.sessionId);
    expect(listEventTypes(run)).toEqual([
      'llm_tool_call',
      'tool_result failed',
      'llm_tool_call',
      'tool_result failed',
      'error failed',
    ]);
    expect(listToolResults(run).map(({ content }) => content)).toEqual([
      expect.stringMatching(/^No result: .*unverified/),
      expect.stringMatching(/^Not run: /),
    ]);
    expect(listToolResults(run).map(({ metadata }) => metadata.outcome)).toEqual(['unknown', undefined]);
    expectNoGaps(run);
  });

  it('past the deadline names the deadline instead', async () => {
    const bench = await tried({ script: done, deadlineMs: 60_000 });
    bench.deps.clock.advance(60_000);
    await bench.deliver(await deadLetterOf(bench, iteration(bench.sessionId, 1)));
    const run = await bench.read(bench.sessionId);
    expect(listErrorCodes(run)).toEqual(['DEADLINE_EXCEEDED']);
    expect(run.session.status).toBe('timed_out');
  });

  it('takes nothing from another agent, whose analysis is kept', async () => {
    const bench = await tried(twoAgents, '01-logs');
    await bench.deliver(await deadLetterOf(bench, iteration(bench.sessionId, 1, '01-logs')));
    const halfway = await bench.read(bench.sessionId);
    expect(halfway.executions.map(({ status }) => status)).toEqual(['failed', 'pending']);
    expect(halfway.session.status).toBe('in_progress');
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'metrics says memory.' });
    expect(bench.gemini.requests).toHaveLength(1);
  });

  it.each([beforeEnding, afterEnding])(
    'is made up for when its function dies (%s): it comes again',
    async (point) => {
      const bench = await tried({ script: done });
      const letter = await deadLetterOf(bench, iteration(bench.sessionId, 1));
      await dieAt(point, bench.deps, (process) => bench.deliver(letter, process));
      expect((await bench.read(bench.sessionId)).session.status).toBe('in_progress');
      await bench.deliver(letter);
      const run = await bench.read(bench.sessionId);
      expect(run.session.status).toBe('failed');
      expect(listErrorCodes(run)).toEqual(['DELIVERY_EXHAUSTED']);
      expectNoGaps(run);
    },
  );
});

describe('a dead letter ends nothing', () => {
  it('of an earlier iteration', async () => {
    const bench = await opened({ script: twoTurns, agent });
    await bench.deliverNext();
    await bench.editExecution(bench.sessionId, (execution) => ({ ...execution, publishedIteration: 2 }));
    const { versions } = await bench.read(bench.sessionId);
    await bench.deliver(await deadLetterOf(bench, iteration(bench.sessionId, 1)));
    expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
    expect(published(bench)).toEqual([1, 2]);
  });

  it('of an earlier iteration whose successor was lost: that is published again', async () => {
    const bench = await opened({ script: twoTurns, agent });
    await dieAt(afterCommitB, bench.deps, (process) => bench.deliverNext(process));
    bench.deps.clock.advance(PUBLICATION_MS);
    await bench.deliver(await deadLetterOf(bench, iteration(bench.sessionId, 1)));
    expect(published(bench)).toEqual([1, 2]);
    await bench.drain();
    expect((await bench.read(bench.sessionId)).session.status).toBe('completed');
  });

  it('of an execution that has ended', async () => {
    const run = await investigate({ script: done });
    await run.deliver(await deadLetterOf(run, iteration(run.sessionId, 1)));
    expect((await run.read(run.sessionId)).versions).toEqual(run.versions);
  });

  it('of an execution that has ended, but continues its stage if that was not done', async () => {
    const bench = await opened({ script: done });
    await dieAt(afterEnding, bench.deps, (process) => bench.deliverNext(process));
    await bench.deliver(await deadLetterOf(bench, iteration(bench.sessionId, 1)));
    const run = await bench.read(bench.sessionId);
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Done.' });
    expect(listEventTypes(run)).toEqual(['final_analysis']);
  });

  it('while a copy of it is at work: it comes again, and finds the outcome of the copy', async () => {
    const bench = await opened({ script: done });
    const answered = Promise.withResolvers<void>();
    bench.deps.failpoint = (point) => (point === duringModelCall ? answered.promise : Promise.resolve());
    const working = bench.deliverNext();
    await expect.poll(() => bench.gemini.requests.length).toBe(1);
    const letter = await deadLetterOf(bench, iteration(bench.sessionId, 1));
    const refused = await bench.deliver(letter).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RetryableError);
    expect(refused).toMatchObject({ code: 'EXECUTION_BUSY' });
    answered.resolve();
    await working;
    await bench.deliver(letter);
    const run = await bench.read(bench.sessionId);
    expect(run.session.status).toBe('completed');
    expect(listEventTypes(run)).toEqual(['final_analysis']);
  });

  it('before the lease of a holder that died has run out', async () => {
    const bench = await tried({ script: done });
    await dieAt(afterClaim, bench.deps, (process) => bench.deliverNext(process));
    const letter = await deadLetterOf(bench, iteration(bench.sessionId, 1));
    await expect(bench.deliver(letter)).rejects.toMatchObject({ code: 'EXECUTION_BUSY' });
    bench.deps.clock.advance(LEASE_MS + 1);
    await bench.deliver(letter);
    expect(listErrorCodes(await bench.read(bench.sessionId))).toEqual(['DELIVERY_EXHAUSTED']);
  });

  it('when a copy is claimed between its look and its write', async () => {
    const bench = await tried({ script: done });
    const letter = await deadLetterOf(bench, iteration(bench.sessionId, 1));
    bench.deps.failpoint = async (point) => {
      if (point !== beforeEnding) return;
      bench.deps.failpoint = undefined;
      await bench.deliverNext();
    };
    await bench.deliver(letter);
    const run = await bench.read(bench.sessionId);
    expect(run.session.status).toBe('completed');
    expect(listEventTypes(run)).toEqual(['final_analysis']);
  });

  it.each([0, 1, MAX_STARTED_CLAIMS - 1])(
    'of an iteration that was started %i times, however often it was delivered',
    async (claims) => {
      const bench = await opened({ script: done });
      const counts = { claims, startedClaims: claims };
      await bench.editExecution(bench.sessionId, (execution) => ({ ...execution, ...counts }));
      const letter = await deadLetterOf(bench, iteration(bench.sessionId, 1));
      const copies = await Promise.allSettled(Array.from({ length: 5 }, () => bench.deliver(letter)));
      expect(copies.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(published(bench)).toEqual([1, 1]);
      bench.deps.clock.advance(PUBLICATION_MS);
      await bench.drain();
      expect((await bench.read(bench.sessionId)).session.status).toBe('completed');
      expect(bench.gemini.requests).toHaveLength(1);
    },
  );

  it('of an execution that pauses: it waits as well, and publishes nothing', async () => {
    const bench = await opened({ script: done });
    const notBefore = new Date(bench.deps.clock.now().getTime() + 60_000);
    await bench.editExecution(bench.sessionId, (execution) => ({ ...execution, notBefore }));
    const { versions } = await bench.read(bench.sessionId);
    const letter = await deadLetterOf(bench, iteration(bench.sessionId, 1));
    for (let delivery = 1; delivery <= 3; delivery++) {
      await expect(bench.deliver(letter)).rejects.toMatchObject({
        code: 'EXECUTION_WAITING',
        retryAfterMs: 60_000,
      });
    }
    expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
    expect(published(bench)).toEqual([1]);
    bench.deps.clock.advance(60_000);
    await bench.deliver(letter);
    expect(published(bench)).toEqual([1, 1]);
    await bench.drain();
    expect((await bench.read(bench.sessionId)).session.status).toBe('completed');
  });
});

it('an outage of runIteration that outlasts every delivery ends no session', async () => {
  const bench = await opened(twoAgents);
  for (let outage = 1; outage <= 4; outage++) {
    bench.deps.clock.advance(PUBLICATION_MS);
    for (const name of ['01-logs', '01-metrics']) {
      await bench.deliver(await deadLetterOf(bench, iteration(bench.sessionId, 1, name), 8));
    }
  }
  expect((await bench.read(bench.sessionId)).session.status).toBe('in_progress');
  await bench.drain();
  expect((await bench.read(bench.sessionId)).session.status).toBe('completed');
  expect(bench.gemini.requests).toHaveLength(2);
});

describe('a dead letter that cannot be accepted is recorded and acked:', () => {
  it.each<[string, (sessionId: string) => unknown, string]>([
    ['no JSON', () => Buffer.from('{'), 'MESSAGE_MALFORMED'],
    ['a newer schema', (id) => ({ ...iteration(id, 1), schemaVersion: 2 }), 'MESSAGE_SCHEMA_UNKNOWN'],
    ['an unknown session', () => iteration('nobody', 1), 'EXECUTION_UNKNOWN'],
    ['an unknown execution', (id) => iteration(id, 1, '09-nobody'), 'EXECUTION_UNKNOWN'],
    ['an iteration that was never scheduled', (id) => iteration(id, 2), 'ITERATION_AHEAD'],
  ])('%s', async (_, dataOf, code) => {
    const bench = await opened({ script: done });
    const { versions } = await bench.read(bench.sessionId);
    await bench.deliver(await deadLetterOf(bench, dataOf(bench.sessionId)));
    expect(await bench.rejected()).toMatchObject([
      {
        function: 'buryIteration',
        failure: { code },
        attributes: { CloudPubSubDeadLetterSourceDeliveryCount: '20' },
      },
    ]);
    expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
  });
});

it('a store that fails has the dead letter delivered again, and nothing is half done', async () => {
  const bench = await tried({ script: done });
  const letter = await deadLetterOf(bench, iteration(bench.sessionId, 1));
  const before = await bench.read(bench.sessionId);
  bench.dieAfterCommits(0);
  await expect(bench.deliver(letter)).rejects.toThrow('died');
  expect((await bench.read(bench.sessionId)).versions).toEqual(before.versions);
  bench.revive();
  await bench.deliver(letter);
  expect((await bench.read(bench.sessionId)).session.status).toBe('failed');
});
