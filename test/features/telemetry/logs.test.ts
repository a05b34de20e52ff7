// What an operator finds in Cloud Logging: few lines, each with the trace of its investigation.

import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../../shared/core/errors.ts';
import { handleTick } from '../../../shared/engine/handleTick.ts';
import { deployedSweepFeatures } from '../../../shared/lists/sweepFeatures.ts';
import { createLogger } from '../../../shared/log.ts';
import { agentOf, type BenchOptions, EXECUTION, startBench } from '../../support/harness.ts';
import { readEvaluation } from '../../terraform/evaluate.ts';
import { extractFrom, matchesLogFilter } from '../../terraform/logFilter.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const TRACE = 'logging.googleapis.com/trace';
const LABELS = 'logging.googleapis.com/labels';
type Line = Record<string, unknown>;

/** A bench whose functions log into a list. */
async function startLogging(options: BenchOptions, level = 'info') {
  const bench = await startBench(options);
  const lines: Line[] = [];
  const write = (line: string) => lines.push(JSON.parse(line) as Line);
  const log = createLogger({ GOOGLE_CLOUD_PROJECT: 'shop', LOG_LEVEL: level }, { write });
  const logging = { ...bench.deps, log };
  return { ...bench, lines, logging };
}

const twoIterations = {
  script: { conversations: [{ turns: [{ toolCalls: [{ name: 'fixture.echo' }] }, { text: 'Done.' }] }] },
};

describe('the log of an investigation', () => {
  it('has a line for each iteration: how long, with which model, for how many tokens', async () => {
    const { lines, logging, ...bench } = await startLogging({
      ...twoIterations,
      agent: { tools: ['fixture'] },
    });
    const sessionId = await bench.publishAlert();
    for (let message = 0; message < 3; message++) await bench.deliverNext(logging);
    const { execution } = await bench.read(sessionId);

    const handled = lines.filter(({ message }) => message === 'iteration handled');
    expect(handled).toEqual(
      [1, 2].map((iteration) => ({
        severity: 'INFO',
        time: expect.any(String),
        message: 'iteration handled',
        [TRACE]: expect.stringMatching(/^projects\/shop\/traces\/[0-9a-f]{32}$/),
        'logging.googleapis.com/spanId': expect.any(String),
        [LABELS]: { sessionId, executionId: EXECUTION },
        iteration,
        outcome: 'ran',
        status: iteration === 2 ? 'completed' : 'active',
        model: expect.stringContaining('gemini'),
        tokens: expect.objectContaining({ total: expect.any(Number) }),
        claims: 1,
        durationMs: expect.any(Number),
      })),
    );
    const spent = handled.map(({ tokens }) => (tokens as { total: number }).total);
    expect(spent[0]).toBeGreaterThan(0);
    expect((spent[0] ?? 0) + (spent[1] ?? 0)).toBe(execution.tokens.total);
  });

  it.each([
    [
      'of the alert, if it has one',
      { traceparent: TRACEPARENT },
      `projects/shop/traces/${TRACEPARENT.slice(3, 35)}`,
    ],
    ['of its own otherwise', {}, expect.stringMatching(/^projects\/shop\/traces\/[0-9a-f]{32}$/)],
  ])('has the trace in every line, %s', async (_, attributes, trace) => {
    const { lines, logging, ...bench } = await startLogging(
      { ...twoIterations, agent: { tools: ['fixture'] } },
      'debug',
    );
    await bench.publishAlert({ title: 'PodCrashLooping' }, attributes);
    for (let message = 0; message < 3; message++) await bench.deliverNext(logging);
    expect(lines.length).toBeGreaterThan(3);
    const traces = new Set(lines.map((line) => line[TRACE]));
    expect([...traces]).toEqual([trace]);
  });

  it('shows copies and waiting messages only to readers who ask for them', async () => {
    const { lines, logging, ...bench } = await startLogging(twoIterations, 'debug');
    const sessionId = await bench.publishAlert();
    await bench.deliverNext(logging);
    const message = bench.deps.publisher.published[1];
    if (message === undefined) throw new Error('nothing was published');
    const until = new Date(bench.deps.clock.now().getTime() + 20_000);
    await bench.editExecution(sessionId, (execution) => ({
      ...execution,
      lease: { holder: 'somebody', until, messageId: null },
    }));
    const busy = await bench.deliver(message, logging).catch((error: Error) => error);
    expect(JSON.parse((busy as Error).stack ?? '')).toMatchObject({
      severity: 'DEBUG',
      message: `EXECUTION_BUSY: another delivery works on execution ${EXECUTION}`,
      [TRACE]: expect.any(String),
      [LABELS]: { sessionId, executionId: EXECUTION },
      retryAfterMs: 20_000,
    });

    bench.deps.clock.advance(20_001);
    await bench.deliver(message, logging);
    lines.length = 0;
    await bench.deliver(message, logging);
    expect(lines.map(({ severity, outcome }) => [severity, outcome])).toEqual([['DEBUG', 'already_ended']]);
  });

  it('warns of a delivery that failed, and shows where an unexpected error comes from', async () => {
    const { logging, ...bench } = await startLogging(twoIterations);
    await bench.publishAlert();
    await bench.deliverNext(logging);
    const message = bench.deps.publisher.published[1];
    if (message === undefined) throw new Error('nothing was published');
    const broken = { ...logging, store: { ...logging.store, get: () => Promise.reject(new Error('a bug')) } };
    const thrown = await bench.deliver(message, broken).catch((error: Error) => error);
    expect(JSON.parse((thrown as Error).stack ?? '')).toMatchObject({
      severity: 'ERROR',
      message: 'unexpected: a bug',
      stack_trace: expect.stringMatching(/^Error: a bug\n +at /),
      [TRACE]: expect.any(String),
    });
  });
});

it('a rejection that cannot be stored is a line of log, too, with the trace of its message', async () => {
  const { logging, ...bench } = await startLogging(twoIterations);
  const unstored = new RetryableError('STORE_UNAVAILABLE', 'the store does not answer');
  const increment = () => Promise.reject(unstored);
  const failing = { ...logging, store: { ...logging.store, increment } };
  await bench.publishAlert('', { traceparent: TRACEPARENT });
  const [message] = bench.deps.publisher.published;
  if (message === undefined) throw new Error('nothing was published');
  await expect(bench.deliver(message, failing)).rejects.toBe(unstored);
  expect(JSON.parse(unstored.stack ?? '')).toMatchObject({
    severity: 'WARNING',
    message: 'STORE_UNAVAILABLE: the store does not answer',
    [TRACE]: `projects/shop/traces/${TRACEPARENT.slice(3, 35)}`,
  });
});

describe('the end of a session', () => {
  const ended = (lines: Line[]) => lines.filter(({ message }) => message === 'session ended');

  it('is one line: its end, its duration, its cost, and its alert', async () => {
    const agents = ['logs', 'metrics'].map((name) => agentOf({ name, tools: ['fixture'] }));
    const calls = { toolCalls: [{ name: 'fixture.echo' }, { name: 'fixture.echo' }] };
    const { lines, logging, ...bench } = await startLogging({
      stages: [
        { name: 'look', agents },
        { name: 'judge', agents: [agentOf({ name: 'judge' })] },
      ],
      script: {
        conversations: [
          { when: 'You are judge,', turns: [{ text: 'Memory.' }] },
          { when: 'You are', turns: [calls, { text: 'Memory, they say.' }] },
        ],
      },
    });
    const sessionId = await bench.publishAlert({ title: 'PodCrashLooping' });
    for (let message = 0; message < 6; message++) await bench.deliverNext(logging);
    const { session, executions } = await bench.read(sessionId);
    expect(session.status).toBe('completed');
    expect(executions).toHaveLength(3);
    expect(ended(lines)).toEqual([
      {
        severity: 'INFO',
        time: expect.any(String),
        message: 'session ended',
        [TRACE]: expect.any(String),
        'logging.googleapis.com/spanId': expect.any(String),
        [LABELS]: { sessionId, executionId: '02-judge' },
        iteration: 1,
        status: 'completed',
        title: 'PodCrashLooping',
        durationMs: (session.endedAt?.getTime() ?? 0) - session.createdAt.getTime(),
        tokens: session.tokens,
        cost: session.cost,
        iterations: 5,
        toolCalls: 4,
      },
    ]);
  });

  it('is a warning with the reason when there is no analysis', async () => {
    const { lines, logging, ...bench } = await startLogging({
      script: { conversations: [{ turns: [{ failures: [{ blockReason: 'SAFETY' }] }] }] },
    });
    await bench.publishAlert();
    for (let message = 0; message < 2; message++) await bench.deliverNext(logging);
    expect(ended(lines)).toMatchObject([{ severity: 'WARNING', status: 'failed', code: 'MODEL_BLOCKED' }]);
  });
});

it("the sweep's log line about a session has the trace and the id of that session", async () => {
  const { lines, logging, ...bench } = await startLogging(twoIterations);
  const sessionIds = [await bench.publishAlert({ title: 'a' }), await bench.publishAlert({ title: 'b' })];
  for (const _ of sessionIds) await bench.deliverNext(logging);
  bench.deps.clock.advance(3_600_000);
  lines.length = 0;
  await bench.tick(logging);
  const ends = lines.filter(({ message }) => message === 'session ended');
  const sessions = await Promise.all(sessionIds.map((id) => bench.read(id)));
  const told = sessions.map(({ session }) => [
    session.sessionId,
    `projects/shop/traces/${session.traceparent?.slice(3, 35)}`,
  ]);
  expect(ends.map((line) => [(line[LABELS] as Line).sessionId, line[TRACE]]).sort()).toEqual(told.sort());
  expect(new Set(told.map(([, trace]) => trace)).size).toBe(2);
});

it('the metrics and alert policies of the Terraform module select the lines that are logged', async () => {
  const lines: Line[] = [];
  for (const turn of [{ failures: [{ blockReason: 'SAFETY' }] }, { text: 'Done.' }]) {
    const bench = await startLogging({ script: { conversations: [{ turns: [turn] }] } });
    await bench.publishAlert();
    for (let message = 0; message < 2; message++) await bench.deliverNext(bench.logging);
    lines.push(...bench.lines);
  }
  const rejecting = await startLogging({ script: { conversations: [{ turns: [{ text: 'Done.' }] }] } });
  await rejecting.publishAlert('null');
  await rejecting.deliverNext(rejecting.logging);
  lines.push(...rejecting.lines);

  const healthy = await startLogging({ script: { conversations: [{ turns: [{ text: 'Done.' }] }] } });
  await handleTick(healthy.logging, deployedSweepFeatures([]));
  await healthy.deliverNext(healthy.logging);
  lines.push(...healthy.lines);

  const { log_metrics, policies } = readEvaluation('trial').settings as {
    log_metrics: Record<string, { filter: string; extractor: string | null; labels: Record<string, string> }>;
    policies: Record<string, { matches: { filter: string }[] }>;
  };
  const matching = (filter = '') => lines.filter((line) => matchesLogFilter(filter, line));
  const { tokens, sessions, canary } = log_metrics;
  const statuses = matching(sessions?.filter).map((line) => extractFrom(line, sessions?.labels.status ?? ''));
  expect(statuses.sort()).toEqual(['completed', 'failed']);
  expect(matching(canary?.filter)).toHaveLength(1);
  const spent = matching(tokens?.filter).map((line) => extractFrom(line, tokens?.extractor ?? ''));
  expect(spent).toEqual([expect.any(Number)]);
  const alerting = Object.entries(policies).filter(([, { matches }]) => matches.length > 0);
  expect(alerting.map(([key, { matches }]) => [key, matching(matches[0]?.filter).length]).sort()).toEqual([
    ['failed-sessions', 1],
    ['rejected-messages', 1],
  ]);
});
