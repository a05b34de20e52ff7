import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import type { Store } from '../../shared/core/contract/store.ts';
import { RetryableError } from '../../shared/core/errors.ts';
import { CRASH_POINTS } from '../../shared/core/kernel/crashPoints.ts';
import { LEASE_MS, RENEW_EVERY_MS } from '../../shared/core/kernel/execution/lease.ts';
import { PUBLICATION_MS } from '../../shared/core/kernel/execution/publishAgain.ts';
import type { IterationMessage } from '../../shared/core/schema/iterationMessage.ts';
import { expectNoGaps, listEventTypes } from '../support/expectations.ts';
import { type Bench, type BenchOptions, investigate, startBench } from '../support/harness.ts';

const echo = { toolCalls: [{ name: 'fixture.echo' }] };
const agent = { tools: ['fixture'] };
const threeTurns = { conversations: [{ turns: [echo, echo, { text: 'Done.' }] }] };
const HOUR_MS = 3_600_000;
const done = { conversations: [{ turns: [{ text: 'Done.' }] }] };

/** An investigation whose alert is in, and whose first iteration is still to come. */
async function opened(options: BenchOptions) {
  const bench = await startBench(options);
  const sessionId = await bench.publishAlert();
  await bench.deliverNext();
  const message = bench.deps.publisher.published[1];
  if (message === undefined) throw new Error('no iteration was published');
  return { ...bench, sessionId, message };
}

/** Keeps the model's answers from the runtime until the returned function is called. */
function holdAnswers({ deps }: Bench): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  deps.failpoint = (point) => (point === CRASH_POINTS.duringModelCall ? promise : Promise.resolve());
  return resolve;
}

/** Iterations whose messages were published, in order. */
const published = (bench: Bench) =>
  bench.deps.publisher.published
    .filter(({ topic }) => topic === TOPICS.iterations)
    .map(({ data }) => (JSON.parse(data.toString()) as IterationMessage).iteration);

type Commit = Store['commit'];
const code = (error: unknown): string => (error instanceof RetryableError ? error.code : String(error));

/** A copy with an unclaimed published successor comes again: its publisher can have died. */
const expectWaiting = (error: unknown) => expect(code(error)).toBe('EXECUTION_WAITING');

describe('messages delivered again', () => {
  it('one after another cost no model call more', async () => {
    const bench = await opened({ agent, script: threeTurns });
    for (const message of bench.deps.publisher.published) {
      for (let copy = 1; copy <= 5; copy++) await bench.deliver(message).catch(expectWaiting);
    }
    expect(published(bench)).toEqual([1, 1, 2, 3]);
    const run = await bench.read(bench.sessionId);
    expect(run.session.status).toBe('completed');
    expect(bench.gemini.requests).toHaveLength(3);
    expect(run.interactions).toHaveLength(3);
    expect(run.execution.iteration).toBe(3);
    expectNoGaps(run);
    expect(await bench.rejected()).toEqual([]);
  });

  it('of earlier iterations write nothing', async () => {
    const bench = await opened({ agent, script: threeTurns });
    await bench.deliver(bench.message);
    const before = await bench.read(bench.sessionId);
    await bench.deliver(bench.message).catch(expectWaiting);
    expect((await bench.read(bench.sessionId)).versions).toEqual(before.versions);
  });

  it('after the end change nothing at all', async () => {
    const run = await investigate({ agent, script: threeTurns });
    const { publisher } = run.deps;
    const count = publisher.published.length;
    for (const message of [...publisher.published]) await run.deliver(message);
    expect((await run.read(run.sessionId)).versions).toEqual(run.versions);
    expect(publisher.published).toHaveLength(count);
    expect(run.gemini.requests).toHaveLength(3);
  });

  it('ten at a time: one works, the others are redelivered', async () => {
    const bench = await opened({ script: done });
    const answer = holdAnswers(bench);
    const refused: unknown[] = [];
    const deliveries = Array.from({ length: 10 }, () =>
      bench.deliver(bench.message).catch((error: unknown) => refused.push(error)),
    );
    await expect.poll(() => refused.length).toBe(9);
    answer();
    await Promise.all(deliveries);
    expect(refused.map(code)).toEqual(Array.from({ length: 9 }, () => 'EXECUTION_BUSY'));
    for (const error of refused) expect(error).toMatchObject({ retryAfterMs: LEASE_MS });
    const run = await bench.read(bench.sessionId);
    expect(bench.gemini.requests).toHaveLength(1);
    expect(listEventTypes(run)).toEqual(['final_analysis']);
    expectNoGaps(run);
  });
});

describe('an alert delivered again', () => {
  it('opens no second session, and publishes unclaimed messages', async () => {
    const bench = await opened({ script: done });
    const [alert] = bench.deps.publisher.published;
    if (alert === undefined) throw new Error('no alert');
    const before = await bench.read(bench.sessionId);
    const deliverAgain = async () => {
      const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => bench.deliver(alert)));
      // It comes again until its first message is claimed.
      for (const outcome of outcomes)
        if (outcome.status === 'rejected')
          expect(outcome.reason).toMatchObject({ code: 'EXECUTION_WAITING' });
    };
    await deliverAgain();
    expect((await bench.read(bench.sessionId)).session).toEqual(before.session);
    expect(published(bench)).toEqual([1, 1]);
    bench.deps.clock.advance(PUBLICATION_MS);
    await deliverAgain();
    expect(published(bench)).toEqual([1, 1]);
    await bench.drain();
    expect(bench.gemini.requests).toHaveLength(1);
  });

  it('publishes nothing while the first iteration is at work', async () => {
    const bench = await opened({ script: done });
    const answer = holdAnswers(bench);
    const [alert] = bench.deps.publisher.published;
    if (alert === undefined) throw new Error('no alert');
    const working = bench.deliver(bench.message);
    await expect.poll(() => bench.gemini.requests.length).toBe(1);
    await bench.deliver(alert);
    expect(published(bench)).toEqual([1]);
    answer();
    await working;
  });

  it('continues where a crash between commit and publish left it', async () => {
    const bench = await startBench({ script: done });
    const sessionId = await bench.publishAlert();
    const { publisher } = bench.deps;
    const { publish } = publisher;
    publisher.publish = () => Promise.reject(new RetryableError('PUBLISH_FAILED', 'the process died'));
    await expect(bench.deliverNext()).rejects.toThrow('died');
    publisher.publish = publish;
    bench.revive();
    await bench.drain();
    expect((await bench.read(sessionId)).session.status).toBe('completed');
  });
});

describe('a late copy', () => {
  /** The first iteration is over, but its successor's message was lost with the process. */
  async function lost() {
    const bench = await opened({ agent, script: threeTurns });
    const { publisher } = bench.deps;
    const { publish } = publisher;
    publisher.publish = () => Promise.reject(new RetryableError('PUBLISH_FAILED', 'the process died'));
    await expect(bench.deliver(bench.message)).rejects.toThrow('died');
    publisher.publish = publish;
    return bench;
  }

  it('publishes the successor that was never claimed', async () => {
    const bench = await lost();
    expect(published(bench)).toEqual([1]);
    bench.deps.clock.advance(PUBLICATION_MS - 1);
    await expect(bench.deliver(bench.message)).rejects.toMatchObject({ code: 'EXECUTION_WAITING' });
    expect(published(bench)).toEqual([1]);
    bench.deps.clock.advance(1);
    await Promise.all(Array.from({ length: 5 }, () => bench.deliver(bench.message).catch(expectWaiting)));
    expect(published(bench)).toEqual([1, 2]);
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(run.session.status).toBe('completed');
    expect(bench.gemini.requests).toHaveLength(3);
  });

  it('publishes nothing once the successor was claimed', async () => {
    const bench = await opened({ agent, script: { conversations: [{ turns: [echo, { text: 'Done.' }] }] } });
    await bench.deliver(bench.message);
    const answer = holdAnswers(bench);
    const successor = bench.deps.publisher.published[2];
    if (successor === undefined) throw new Error('no successor was published');
    const working = bench.deliver(successor);
    await expect.poll(() => bench.gemini.requests.length).toBe(2);
    await bench.deliver(bench.message);
    expect(published(bench)).toEqual([1, 2]);
    answer();
    await working;
  });
});

describe('an unexpected error', () => {
  it('has the message delivered again, which need not wait for the lease to run out', async () => {
    const bench = await opened({ script: done });
    const llm = { generate: () => Promise.reject(new Error('a bug')) };
    const broken = bench.deliver(bench.message, { ...bench.deps, llm });
    expect(code(await broken.catch((thrown: unknown) => thrown))).toBe('Error: a bug');
    await bench.deliver(bench.message);
    const run = await bench.read(bench.sessionId);
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });
});

describe('a failing store', () => {
  const unavailable = () => Promise.reject(new RetryableError('STORE_UNAVAILABLE', 'no answer'));

  /** Records every commit, and does with it what `answer` says; the number counts from 1. */
  function tapCommits(
    bench: Bench,
    answer: (number: number, commit: () => ReturnType<Commit>) => ReturnType<Commit>,
  ) {
    const { store } = bench.deps;
    const { commit } = store;
    const commits: Parameters<Commit>[0][] = [];
    store.commit = (writes) => {
      commits.push(writes);
      return answer(commits.length, () => commit(writes));
    };
    return commits;
  }

  it('gets the answer in hand again, the same bytes, and the model is not asked again', async () => {
    const bench = await opened({ script: done });
    // The claim gets through, the answer does not.
    const commits = tapCommits(bench, (number, commit) =>
      number > 1 && number < 5 ? unavailable() : commit(),
    );
    const working = bench.deliver(bench.message);
    await bench.deps.clock.passWaitOf(500);
    await bench.deps.clock.passWaitOf(1_000);
    await working;
    const [, first, ...repeated] = commits;
    expect(repeated.slice(0, 3)).toEqual([first, first, first]);
    const run = await bench.read(bench.sessionId);
    expect(run.session.status).toBe('completed');
    expect(bench.gemini.requests).toHaveLength(1);
    expectNoGaps(run);
  });

  it('gets the result of a call that changes something again, and the call is not run again', async () => {
    const change = { toolCalls: [{ name: 'fixture.fail' }] };
    const bench = await opened({
      agent,
      script: { conversations: [{ turns: [change, { text: 'Done.' }] }] },
    });
    tapCommits(bench, (number, commit) => (number === 3 ? unavailable() : commit()));
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(run.timeline.find(({ eventType }) => eventType === 'tool_result')?.content).toBe(
      'the disk is full',
    );
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });

  it('that fails until the lease ends has the message delivered again', async () => {
    const bench = await opened({ script: done });
    const commits = tapCommits(bench, (number, commit) => {
      if (number === 1) return commit();
      // As long as a call takes that is not answered.
      bench.deps.clock.advance(10_000);
      return unavailable();
    });
    const working = bench.deliver(bench.message).catch((thrown: unknown) => thrown);
    await bench.deps.clock.passWaitOf(500);
    expect(code(await working)).toBe('STORE_UNAVAILABLE');
    const answers = commits.filter(({ length }) => length > 1);
    expect(answers).toHaveLength(3);
    expect((await bench.read(bench.sessionId)).execution.status).toBe('active');
  });

  it('that stored a renewal without answering loses neither the lease nor the answer', async () => {
    const bench = await opened({ script: done });
    const answer = holdAnswers(bench);
    let renewals = 0;
    tapCommits(bench, async (number, commit) => {
      const result = await commit();
      if (number !== 2) return result;
      renewals++;
      return unavailable();
    });
    const working = bench.deliver(bench.message);
    await expect.poll(() => bench.gemini.requests.length).toBe(1);
    bench.deps.clock.advance(RENEW_EVERY_MS);
    await expect.poll(() => renewals).toBe(1);
    answer();
    await working;
    const run = await bench.read(bench.sessionId);
    expect(run.session.status).toBe('completed');
    expect(run.execution.claims).toBe(1);
    expect(bench.gemini.requests).toHaveLength(1);
    expectNoGaps(run);
  });

  it.each([1, 2])(
    'whose answer to commit %i is lost, and which then refuses its repetition, does no harm',
    async (lost) => {
      const bench = await opened({ script: done });
      const { store } = bench.deps;
      const { commit } = store;
      let commits = 0;
      store.commit = async (writes) => {
        const first = await commit(writes);
        return ++commits === lost ? commit(writes) : first;
      };
      await bench.deliver(bench.message);
      const run = await bench.read(bench.sessionId);
      expect(run.session.status).toBe('completed');
      expect(bench.gemini.requests).toHaveLength(1);
      expectNoGaps(run);
    },
  );
});

describe('the lease', () => {
  /** The lease of another process, which ends in so many milliseconds. */
  const leaseTo = (bench: Bench & { sessionId: string }, ms: number) =>
    bench.editExecution(bench.sessionId, (execution) => ({
      ...execution,
      lease: { holder: 'other', until: new Date(bench.deps.clock.now().getTime() + ms), messageId: null },
    }));

  it('of a living holder keeps everybody else out', async () => {
    const bench = await opened({ script: done });
    await leaseTo(bench, 1);
    const error = await bench.deliver(bench.message).catch((thrown: unknown) => thrown);
    expect(code(error)).toBe('EXECUTION_BUSY');
    expect(bench.gemini.requests).toEqual([]);
  });

  it('of a holder that handles a newer message makes a copy spare: it is acked and changes nothing', async () => {
    const bench = await opened({ script: done });
    const answer = holdAnswers(bench);
    const working = bench.deliver(bench.message);
    await expect.poll(() => bench.gemini.requests.length).toBe(1);
    const before = await bench.read(bench.sessionId);
    expect(before.execution.lease?.messageId).toBe(bench.message.id);
    await bench.deliver({ ...bench.message, id: '0' });
    expect((await bench.read(bench.sessionId)).versions).toEqual(before.versions);
    const again = await bench.deliver(bench.message).catch((thrown: unknown) => thrown);
    expect(code(again)).toBe('EXECUTION_BUSY');
    answer();
    await working;
    expect(published(bench)).toEqual([1]);
  });

  it('that ran out is taken over', async () => {
    const bench = await opened({ script: done });
    await leaseTo(bench, -1);
    await bench.deliver(bench.message);
    expect((await bench.read(bench.sessionId)).session.status).toBe('completed');
  });

  it('is renewed while the model thinks', async () => {
    const bench = await opened({ script: done });
    const answer = holdAnswers(bench);
    const working = bench.deliver(bench.message);
    await expect.poll(() => bench.gemini.requests.length).toBe(1);
    const until = async () => (await bench.read(bench.sessionId)).execution.lease?.until.getTime() ?? 0;
    const first = await until();
    bench.deps.clock.advance(RENEW_EVERY_MS);
    await expect.poll(until).toBe(first + RENEW_EVERY_MS);
    answer();
    await working;
  });

  it('that was lost during the model call lets its holder write nothing', async () => {
    const bench = await opened({ script: done });
    const answer = holdAnswers(bench);
    const working = bench.deliver(bench.message).catch((thrown: unknown) => thrown);
    await expect.poll(() => bench.gemini.requests.length).toBe(1);
    await leaseTo(bench, LEASE_MS);
    const before = await bench.read(bench.sessionId);
    answer();
    expect(code(await working)).toBe('EXECUTION_BUSY');
    const after = await bench.read(bench.sessionId);
    expect(after.versions).toEqual(before.versions);
    expect(after.execution.lease?.holder).toBe('other');
    expect(published(bench)).toEqual([1]);
  });

  it('that was lost aborts the model call at the next renewal', async () => {
    const script = { conversations: [{ turns: [{ text: 'Late.', firstDelayMs: HOUR_MS }] }] };
    const bench = await opened({ script });
    const working = bench.deliver(bench.message).catch((thrown: unknown) => thrown);
    await expect.poll(() => bench.gemini.requests.length).toBe(1);
    await leaseTo(bench, LEASE_MS);
    const before = await bench.read(bench.sessionId);
    bench.deps.clock.advance(RENEW_EVERY_MS);
    expect(code(await working)).toBe('EXECUTION_BUSY');
    await expect.poll(() => bench.gemini.requests[0]?.outcome.kind).toBe('abandoned');
    expect((await bench.read(bench.sessionId)).versions).toEqual(before.versions);
  });
});
