// An unresponsive model must not use up an investigation: the real SDK, in virtual time.

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../../shared/core/errors.ts';
import { readDue } from '../../../shared/core/kernel/state/dueAt.ts';
import type { Execution } from '../../../shared/core/schema/execution.ts';
import { NO_PARTS, readPart } from '../../../shared/core/schema/parts.ts';
import { noteAnswer, noteOutage } from '../../../shared/features/modelOutages/modelState.ts';
import { RECOVERED_MODELS } from '../../../shared/features/modelOutages/resumeWaiting.ts';
import { modelWaitsPart } from '../../../shared/kits/agents/modelOutage.ts';
import { askQuestion } from '../../../shared/kits/questions/askQuestion.ts';
import { addGuidance } from '../../../shared/kits/steering/addGuidance.ts';
import { modelOutageType, paths, sessionType } from '../../../shared/lists/documents.ts';
import { expectNoGaps, listErrorCodes, listEventTypes } from '../../support/expectations.ts';
import { type Bench, type BenchOptions, EXECUTION, opened, startBench } from '../../support/harness.ts';
import { watchAnswers } from '../../support/passAtAnswer.ts';
import { sampleAgent } from '../../support/samples.ts';
import { gateModel, type Refusal, refusal, runCloud } from '../../support/virtualCloud.ts';

const MINUTE = 60_000;
const DONE = { conversations: [{ turns: [{ text: 'Done.' }] }] };

async function sessionOf({ deps }: Bench, sessionId: string) {
  const stored = await deps.store.get(paths.session(sessionId), sessionType);
  if (stored === undefined) throw new Error('the session is gone');
  return stored.value;
}

/** Sessions on one instance, whose model is refused as `refuse` says. They run until all have ended. */
async function runSessions(
  count: number,
  options: Partial<BenchOptions>,
  refuse: (sinceMs: number) => Refusal | undefined,
) {
  const bench = await startBench({ script: DONE, inMemory: true, ...options });
  const start = bench.deps.clock.now().getTime();
  const sent = gateModel(bench, (now) => refuse(now.getTime() - start));
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await bench.publishAlert({ title: `Alert ${index}` }));
  const sessions = () => Promise.all(ids.map((id) => bench.deps.store.get(paths.session(id), sessionType)));
  const deliveries = await runCloud(bench, async () =>
    (await sessions()).every((session) => session !== undefined && session.value.endedAt !== null),
  );
  const runs = await Promise.all(ids.map((id) => bench.read(id)));
  const minutes = (bench.deps.clock.now().getTime() - start) / MINUTE;
  return { bench, runs, sent, minutes, deliveries };
}

const notices = (run: Awaited<ReturnType<Bench['read']>>) =>
  run.timeline.filter((event) => event.eventType === 'notice' && event.metadata.code === 'model_outage');

describe.each([503, 429])('half an hour in which the model answers %i', (status) => {
  it('ends no session: each gets its answers, and few requests are sent meanwhile', async () => {
    const { runs, sent, deliveries } = await runSessions(8, { summary: {} }, (since) =>
      since < 30 * MINUTE ? refusal(status) : undefined,
    );
    for (const run of runs) {
      expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Done.', failure: null });
      expect(run.execution).toMatchObject({ iteration: 1, outage: null, lastInteractionFailed: false });
      expect(notices(run)).toHaveLength(1);
      expect(listErrorCodes(run)).toEqual([]);
      expectNoGaps(run);
      const { deadline, createdAt } = run.session;
      const extended = deadline.getTime() - createdAt.getTime() - 10 * MINUTE;
      expect(extended).toBe(readPart(modelWaitsPart, run.session)?.ms);
      expect(extended).toBeGreaterThanOrEqual(25 * MINUTE);
      expect(extended).toBeLessThanOrEqual(60 * MINUTE);
    }
    expect(sent.useful).toBe(16);
    // Eight that are on their way when it begins, then one at a time.
    expect(sent.refused).toBeLessThanOrEqual(20);
    expect(deliveries.mostFailures).toBeLessThan(8);
  });
});

describe('eight minutes in which the model answers 503', () => {
  it('end for all eight sessions soon after the first answer, whatever their pauses are', async () => {
    const answers: number[] = [];
    const { runs } = await runSessions(8, {}, (since) => {
      if (since < 8 * MINUTE) return refusal(503);
      answers.push(since);
      return undefined;
    });
    const ends = runs.map(({ session }) => (session.endedAt?.getTime() ?? 0) - session.createdAt.getTime());
    const lastMs = Math.max(...ends);
    expect(lastMs).toBeLessThanOrEqual((answers[0] ?? 0) + 3 * MINUTE);
    if (process.env.PRINT_MEASURED) console.log({ firstAnswerMs: answers[0], lastMs });
  });
});

describe('a model that answers again', () => {
  const MODEL = 'google/gemini-3.8-flash';
  const PAUSE_MS = 4 * MINUTE;

  const lastMessage = ({ deps }: Bench) => deps.publisher.published.at(-1) ?? expect.unreachable();

  /** Opens a session; its first iteration is the last published message. */
  async function open(bench: Bench, title: string): Promise<string> {
    const id = await bench.publishAlert({ title });
    await bench.deliver(lastMessage(bench));
    return id;
  }

  /** Sessions whose executions wait for their model for four more minutes. */
  async function parkedSessions(bench: Bench, count: number, change: (execution: Execution) => Execution) {
    const ids: string[] = [];
    for (let index = 0; index < count; index++) ids.push(await open(bench, `Alert ${index} of ${count}`));
    bench.deps.publisher.published.splice(0);
    const now = bench.deps.clock.now();
    const outage = { code: 'MODEL_UNAVAILABLE', since: now, pauses: 5, calls: 5, parked: true } as const;
    const notBefore = new Date(now.getTime() + PAUSE_MS);
    for (const id of ids) await bench.editExecution(id, (one) => change({ ...one, outage, notBefore }));
    return ids;
  }

  const outageOf = (bench: Bench) =>
    bench.deps.store.list({ collection: paths.modelOutages }, modelOutageType);
  const publishedIds = ({ deps }: Bench) =>
    deps.publisher.published.map(({ attributes }) => attributes.sessionId).sort();

  it('writes one document at its first answer, and the next sweep publishes the executions that wait for it', async () => {
    const bench = await startBench({ script: DONE, inMemory: true });
    const waiting = await parkedSessions(bench, 3, (one) => one);
    const quota = await parkedSessions(bench, 1, (one) => ({
      ...one,
      outage: one.outage && { ...one.outage, code: 'QUOTA_REACHED' },
    }));
    const agent = sampleAgent({ tools: [], nativeTools: [] });
    await noteOutage(agent.model, bench.deps);
    bench.deps.publisher.published.splice(0);
    await bench.tick();
    expect(publishedIds(bench)).toEqual([]);
    expect(await outageOf(bench)).toMatchObject([{ value: { model: MODEL, answeredAt: null } }]);

    const answered = await open(bench, 'New');
    await bench.deliver(lastMessage(bench));
    expect((await bench.read(answered)).session.status).toBe('completed');
    expect(await outageOf(bench)).toMatchObject([{ value: { answeredAt: expect.any(Date) } }]);

    bench.deps.publisher.published.splice(0);
    await bench.tick();
    expect(publishedIds(bench)).toEqual([...waiting].sort());
    expect(await outageOf(bench)).toEqual([]);
    for (const message of [...bench.deps.publisher.published]) await bench.deliver(message);
    for (const id of waiting) expect((await bench.read(id)).session.status).toBe('completed');
    expect((await bench.read(quota[0] ?? '')).execution).toMatchObject({ status: 'pending' });
  });

  it('gets the executions of no other model, and many within half a minute', async () => {
    const bench = await startBench({ script: DONE, inMemory: true });
    await parkedSessions(bench, 62, (one) => one);
    const other = { provider: 'google', model: 'gemini-3.8-pro', includeThoughts: true };
    await noteOutage(other, bench.deps);
    await noteAnswer(other, true, bench.deps);
    await bench.tick();
    expect(publishedIds(bench)).toEqual([]);
    const { model } = sampleAgent();
    await noteOutage(model, bench.deps);
    await noteAnswer(model, true, bench.deps);
    const tick = bench.tick();
    for (let passed = 0; passed < 30; passed++) {
      await setImmediate();
      expect(publishedIds(bench).length).toBeLessThan((62 * (passed + 1)) / 30 + 10);
      bench.deps.clock.advance(1000);
    }
    await tick;
    expect(publishedIds(bench)).toHaveLength(62);
  });

  it('costs an investigation without outages no write, and one read a minute', async () => {
    const bench = await startBench({ script: DONE, inMemory: true, summary: {} });
    const touched: string[] = [];
    const { get, commit } = bench.deps.store;
    bench.deps.store.get = (path, type) => {
      if (path.startsWith('modelOutages/')) touched.push('read');
      return get(path, type);
    };
    bench.deps.store.commit = (writes) => {
      touched.push(...writes.filter(({ path }) => path.startsWith('modelOutages/')).map(() => 'write'));
      return commit(writes);
    };
    for (const title of ['One', 'Two']) await bench.publishAlert({ title });
    await bench.drain();
    expect(touched).toEqual(['read']);
  });

  it('is not asked by a process whose circuit is open; the refused execution pauses for less than a minute', async () => {
    const bench = await startBench({ script: DONE, inMemory: true, deadlineMs: 60 * MINUTE });
    const ids = [await open(bench, 'One')];
    const messages = [lastMessage(bench)];
    ids.push(await open(bench, 'Two'));
    messages.push(lastMessage(bench));
    const info = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '240s' };
    const sent = gateModel(bench, () => refusal(429, [info]));
    for (const message of messages) await bench.deliver(message);
    expect(sent.refused).toBe(1);
    const [asked, refused] = await Promise.all(ids.map(async (id) => (await bench.read(id)).execution));
    const pauseOf = (one?: Execution) => (one?.notBefore?.getTime() ?? 0) - bench.deps.clock.now().getTime();
    expect(asked?.outage).toMatchObject({ calls: 1, parked: true });
    expect(pauseOf(asked)).toBeGreaterThanOrEqual(4 * MINUTE);
    expect(refused?.outage).toMatchObject({ calls: 0, parked: true });
    expect(pauseOf(refused)).toBeLessThan(MINUTE);
    expect(pauseOf(refused)).toBeGreaterThan(0);
  });
});

describe('a quota that twenty sessions share', () => {
  it('is used: all complete, with at most three refused requests for one useful', async () => {
    const times: number[] = [];
    const { runs, sent } = await runSessions(20, { summary: {} }, (since) => {
      const used = times.filter((time) => time > since - MINUTE).length;
      if (used >= 5) return refusal(429);
      times.push(since);
      return undefined;
    });
    expect(runs.map(({ session }) => session.status)).toEqual(Array(20).fill('completed'));
    expect(sent.useful).toBe(40);
    expect(sent.refused).toBeLessThanOrEqual(3 * sent.useful);
    if (process.env.PRINT_MEASURED) console.log(sent);
  });
});

describe('an outage', () => {
  const failing = (failures: { status: number }[]) => ({ text: 'Done.', failures });
  const outage = [503, 503, 503].map((status) => ({ status }));

  it('adds nothing to the conversation, uses no iteration, and has one notice and one record for each call', async () => {
    const run = await opened({
      inMemory: true,
      script: { conversations: [{ turns: [failing([...outage, ...outage])] }] },
    });
    await runCloud(run, async () => (await sessionOf(run, run.sessionId)).endedAt !== null);
    const { timeline, execution, interactions, messages } = await run.read(run.sessionId);
    expect(timeline[0]).toMatchObject({
      eventType: 'notice',
      content: expect.stringMatching(
        /^google\/gemini-3.8-flash does not answer \(MODEL_UNAVAILABLE\): .*uses no iteration/,
      ),
      metadata: { code: 'model_outage', subject: 'google/gemini-3.8-flash', reason: 'MODEL_UNAVAILABLE' },
    });
    expect(timeline.map(({ eventType }) => eventType)).toEqual(['notice', 'final_analysis']);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
    expect(execution).toMatchObject({ iteration: 1, consecutiveTimeouts: 0, caveats: [] });
    expect(interactions.filter(({ failure }) => failure !== null).length).toBeGreaterThanOrEqual(1);
    const bodies = run.gemini.requests.map(({ body }) => JSON.stringify(body));
    expect(new Set(bodies).size).toBe(1);
  });

  it.each<[string, Partial<BenchOptions>]>([
    ['a single call', { agent: { strategy: 'single-call' } }],
    ['a forced conclusion', { agent: { strategy: 'native-thinking', limits: { maxIterations: 1 } } }],
    [
      'a synthesis',
      {
        stages: [
          {
            agents: ['one', 'two'].map((name) => sampleAgent({ name, tools: [], nativeTools: [] })),
            synthesis: sampleAgent({ name: 'synthesis', strategy: 'synthesis', tools: [], nativeTools: [] }),
          },
        ],
      },
    ],
    ['an executive summary', { summary: {} }],
  ])('does not fail %s', async (_, options) => {
    // The model answers the first calls, and is away for five minutes after each.
    let answered = -Infinity;
    const { runs } = await runSessions(1, options, (since) => {
      if (since < 5 * MINUTE || since - answered < 5 * MINUTE) return refusal(503);
      answered = since;
      return undefined;
    });
    expect(runs[0]?.session).toMatchObject({ status: 'completed', finalAnalysis: 'Done.' });
    if (options.summary) expect(runs[0]?.session.executiveSummary).not.toBeNull();
  });

  it('does not count guidance as read', async () => {
    const bench = await opened({ inMemory: true, script: DONE, deadlineMs: 60 * MINUTE });
    const start = bench.deps.clock.now().getTime();
    gateModel(bench, (now) => (now.getTime() - start < MINUTE ? refusal(503) : undefined));
    await addGuidance(bench.sessionId, { by: 'ada', text: 'Look at the disk.' }, bench.deps);
    await runCloud(bench, async () => (await sessionOf(bench, bench.sessionId)).endedAt !== null);
    const run = await bench.read(bench.sessionId);
    expect(run.execution).toMatchObject({ status: 'completed', guidanceTaken: 1 });
    expect(JSON.stringify(run.messages).split('Look at the disk.')).toHaveLength(2);
    expect(JSON.stringify(bench.gemini.requests.at(-1))).toContain('Look at the disk.');
  });

  it('does not fail the answer to a question, whose deadline it extends', async () => {
    const bench = await startBench({ script: DONE, inMemory: true, chat: {}, deadlineMs: 10 * MINUTE });
    const sessionId = await bench.publishAlert();
    await bench.drain();
    const start = bench.deps.clock.now().getTime();
    gateModel(bench, (now) => (now.getTime() - start < 20 * MINUTE ? refusal(503) : undefined));
    await askQuestion(sessionId, { text: 'Why?', by: 'ada' }, bench.deps);
    const before = await sessionOf(bench, sessionId);
    await runCloud(bench, async () => (await sessionOf(bench, sessionId)).openStage === null);
    const { session, executions, timeline } = await bench.read(sessionId);
    expect(executions.at(-1)).toMatchObject({ status: 'completed' });
    expect(session.deadline).toEqual(before.deadline);
    expect(timeline.at(-1)).toMatchObject({ eventType: 'final_analysis' });
  });

  it('of a minute or more acks the message, which the sweep publishes when the pause is over', async () => {
    const bench = await opened({ inMemory: true, script: DONE, deadlineMs: 40 * MINUTE });
    const { clock, publisher } = bench.deps;
    let isDown = true;
    const info = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1200s' };
    gateModel(bench, () => (isDown ? refusal(429, [info]) : undefined));
    bench.deps.random = () => 0;
    await bench.tick();
    const [message] = publisher.published.slice(-1);
    await bench.deliverNext();
    const { execution } = await bench.read(bench.sessionId);
    const due = new Date(clock.now().getTime() + 20 * MINUTE);
    expect(execution).toMatchObject({ notBefore: due, lease: null, claims: 0, iteration: 1 });
    expect(readDue(execution)).toEqual(due);
    expect(execution.outage).toMatchObject({ code: 'MODEL_QUOTA', parked: true, pauses: 1, calls: 1 });
    isDown = false;
    // A copy is acked.
    if (message !== undefined) await bench.deliver(message);
    const published = publisher.published.length;
    clock.advance(20 * MINUTE - 1);
    await bench.tick();
    expect(publisher.published).toHaveLength(published);
    clock.advance(1);
    await bench.tick();
    expect(publisher.published).toHaveLength(published + 1);
    await bench.deliver(publisher.published.at(-1) ?? expect.unreachable());
    expect((await bench.read(bench.sessionId)).session.status).toBe('completed');
  });

  it('has longer pauses after each call that was sent', async () => {
    const bench = await opened({ inMemory: true, script: DONE, deadlineMs: 60 * MINUTE });
    gateModel(bench, () => refusal(503));
    bench.deps.random = () => 0;
    const message = bench.deps.publisher.published.at(-1) ?? expect.unreachable();
    const pauses: number[] = [];
    for (let call = 0; call < 6; call++) {
      await bench.deliver(message).catch(() => undefined);
      const { notBefore } = (await bench.read(bench.sessionId)).execution;
      pauses.push(((notBefore?.getTime() ?? 0) - bench.deps.clock.now().getTime()) / 1000);
      bench.deps.clock.advance(6 * MINUTE);
    }
    expect(pauses).toEqual([10, 20, 40, 80, 150, 150]);
  });

  it('for which the provider asks for more time than is left ends the execution at once', async () => {
    const info = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '50000s' };
    const { runs, sent } = await runSessions(1, {}, () => refusal(429, [info]));
    expect(runs[0]?.session).toMatchObject({ status: 'failed', failure: { code: 'MODEL_QUOTA' } });
    expect(sent.refused).toBe(1);
  });

  it.each([
    ['an hour', {}, 60],
    ['modelOutage', { modelOutageMs: 15 * MINUTE }, 15],
  ])('without an end ends each session after %s, with the reason', async (_, limits, longest) => {
    const options = { deadlineMs: 10 * MINUTE, agent: { limits } };
    const { runs, minutes, sent } = await runSessions(2, options, () => refusal(503));
    for (const { session, execution } of runs) {
      expect(session).toMatchObject({ status: 'failed' });
      expect(readPart(modelWaitsPart, session)?.ms).toBeLessThanOrEqual(longest * MINUTE);
      expect(execution.failure).toMatchObject({
        code: 'MODEL_UNAVAILABLE',
        message: expect.stringMatching(
          new RegExp(`has not answered since .*Z, longer than modelOutage \\(${longest} min\\)\\.`),
        ),
      });
    }
    expect(minutes).toBeGreaterThanOrEqual(longest);
    expect(minutes).toBeLessThan(longest + 10);
    expect(sent.refused).toBeLessThan(30);
  });

  it('ends no session that has not asked the model since the start of its wait', async () => {
    const bench = await opened({
      inMemory: true,
      script: DONE,
      deadlineMs: 60 * MINUTE,
      agent: { limits: { modelOutageMs: 5 * MINUTE } },
    });
    const { generate } = bench.deps.llm;
    let isOpen = true;
    bench.deps.llm = {
      async generate(request, call) {
        if (!isOpen) return generate(request, call);
        throw new RetryableError('MODEL_UNAVAILABLE', 'is not asked', { retryAfterMs: 4 * MINUTE });
      },
    };
    const message = bench.deps.publisher.published.at(-1) ?? expect.unreachable();
    for (let refusals = 0; refusals < 10; refusals++) {
      await bench.deliver(message).catch(() => undefined);
      bench.deps.clock.advance(MINUTE);
    }
    const { execution } = await bench.read(bench.sessionId);
    expect(execution).toMatchObject({ status: 'active', outage: { calls: 0, pauses: 10 } });
    isOpen = false;
    await bench.deliver(message);
    expect((await bench.read(bench.sessionId)).session.status).toBe('completed');
  });
});

describe('agents of one session that wait at the same time', () => {
  it('extend its deadline once', async () => {
    const agents = ['one', 'two', 'three'].map((name) =>
      sampleAgent({ name, tools: [], nativeTools: [], instructions: 'Look.' }),
    );
    const { runs } = await runSessions(1, { stages: [{ agents }] }, (since) =>
      since < 20 * MINUTE ? refusal(503) : undefined,
    );
    const [run] = runs;
    expect(run?.session.status).toBe('completed');
    expect(readPart(modelWaitsPart, run?.session ?? NO_PARTS)?.ms).toBeLessThanOrEqual(26 * MINUTE);
    for (const { waitedUntil } of run?.executions ?? []) expect(waitedUntil).not.toBeNull();
  });

  it('is that of an agent that was asked: it extends the deadline of the one that asked, and the wait', async () => {
    const ask = { name: 'ask_agent', args: { agent_name: 'logs', input_text: 'What do they say?' } };
    let calls = 0;
    const { runs } = await runSessions(
      1,
      {
        deadlineMs: 10 * MINUTE,
        agent: { tools: ['ask_agent'], asks: [{ name: 'logs' }], instructions: 'You lead.' },
        agents: {
          logs: sampleAgent({ name: 'logs', tools: [], nativeTools: [], instructions: 'You are logs.' }),
        },
        script: {
          conversations: [
            { when: 'You lead.', turns: [{ toolCalls: [ask] }, { text: 'It was the disk.' }] },
            { when: 'You are logs.', turns: [{ text: 'The disk is full.' }] },
          ],
        },
      },
      // The first call is answered.
      (since) => (calls++ > 0 && since < 25 * MINUTE ? refusal(503) : undefined),
    );
    const [run] = runs;
    expect(run?.session).toMatchObject({ status: 'completed', finalAnalysis: 'It was the disk.' });
    const results = run?.timeline.filter(({ eventType }) => eventType === 'tool_result') ?? [];
    expect(results.map(({ content, status }) => [content, status])).toEqual([
      ['The disk is full.', 'completed'],
    ]);
  });
});

describe('a model without an answer', () => {
  const hang = { hang: true as const };
  const LIMIT_MS = 20_000;

  async function passAtRequest(bench: Bench, count: number, ms: number): Promise<void> {
    await expect.poll(() => bench.gemini.requests.length).toBe(count);
    bench.deps.clock.advance(ms);
  }

  it.each([
    ['the end of the iteration', {}, LIMIT_MS, 'ITERATION_TIMEOUT'],
    ['firstChunkTimeout', { firstChunkTimeoutMs: 5_000 }, 5_000, 'MODEL_TIMEOUT'],
  ])('until %s has not answered', async (_, limits, ms, code) => {
    const bench = await opened({
      inMemory: true,
      agent: { limits: { iterationTimeoutMs: LIMIT_MS, ...limits } },
      script: { conversations: [{ turns: [{ text: 'Done.', failures: [hang] }] }] },
    });
    const working = bench.drain();
    await passAtRequest(bench, 1, ms);
    await working;
    const run = await bench.read(bench.sessionId);
    expect(listEventTypes(run)).toEqual(['notice', 'final_analysis']);
    expect(run.timeline[0]?.metadata).toMatchObject({ reason: code });
    expect(run.execution).toMatchObject({ iteration: 1, consecutiveTimeouts: 0, status: 'completed' });
    expect(run.execution.executionId).toBe(EXECUTION);
  });

  it('that is silent within its answer for stallTimeout costs an iteration', async () => {
    const stall = { ...hang, afterChunks: 1 };
    const bench = await opened({
      inMemory: true,
      agent: { limits: { iterationTimeoutMs: LIMIT_MS, stallTimeoutMs: 3_000 } },
      script: { conversations: [{ turns: [{ thinking: 'Hm.', text: 'Done.', failures: [stall] }] }] },
    });
    const passAtAnswer = watchAnswers(bench);
    const working = bench.drain();
    await passAtAnswer(1, 3_000);
    await working;
    const run = await bench.read(bench.sessionId);
    expect(listEventTypes(run)).toEqual(['error timed_out', 'llm_thinking', 'final_analysis']);
    expect(run.timeline[0]).toMatchObject({
      content: expect.stringContaining('nothing arrived for 3 s'),
      metadata: { code: 'MODEL_TIMEOUT' },
    });
    expect(run.session.status).toBe('completed');
  });

  it('after the start of its answer costs an iteration, twice the execution', async () => {
    const stall = { ...hang, afterChunks: 1 };
    const bench = await opened({
      inMemory: true,
      agent: { limits: { iterationTimeoutMs: LIMIT_MS, firstChunkTimeoutMs: 5_000 } },
      script: { conversations: [{ turns: [{ thinking: 'Hm.', text: 'Done.', failures: [stall, stall] }] }] },
    });
    const passAtAnswer = watchAnswers(bench);
    const working = bench.drain();
    await passAtAnswer(1, LIMIT_MS);
    await passAtAnswer(2, LIMIT_MS);
    await working;
    const run = await bench.read(bench.sessionId);
    expect(listEventTypes(run)).toEqual(['error timed_out', 'error timed_out', 'error failed']);
    expect(run.session.failure?.code).toBe('ITERATION_TIMEOUT');
  });
});

it('the sweep reports outages that it cannot read, and does its other work', async () => {
  const { deps } = await startBench({ script: DONE, inMemory: true });
  const list = async () => {
    throw new RetryableError('STORE_UNAVAILABLE', 'the database is away');
  };
  const { failures } = await RECOVERED_MODELS.run({ ...deps, store: { ...deps.store, list } });
  expect(failures).toEqual([
    { sessionId: 'modelOutages', code: 'STORE_UNAVAILABLE', message: 'the database is away' },
  ]);
});
