import { describe, expect, it } from 'vitest';
import type { Turn } from '../../packages/scripted-gemini/src/index.ts';
import { readSessionAlert } from '../../shared/alerts/schema/alert.ts';
import { addTokens, NO_TOKENS } from '../../shared/core/schema/common.ts';
import { expectNoGaps, listEventTypes, listToolResults } from '../support/expectations.ts';
import { EXECUTION, investigate, startBench } from '../support/harness.ts';
import { sampleAgent } from '../support/samples.ts';

const echo = (args: Record<string, unknown> = {}) => ({ name: 'fixture.echo', args });

describe('an investigation', () => {
  it('has thought, text, call, result and analysis in its timeline in this order, and ends everything', async () => {
    const run = await investigate({
      agent: { tools: ['fixture'] },
      script: {
        conversations: [
          {
            turns: [
              { thinking: 'Look first.', text: 'I look.', toolCalls: [echo({ pod: 'a' })] },
              { thinking: 'Now I know.', text: 'Out of memory.' },
            ],
          },
        ],
      },
    });
    expect(listEventTypes(run)).toEqual([
      'llm_thinking',
      'llm_response',
      'llm_tool_call',
      'tool_result',
      'llm_thinking',
      'final_analysis',
    ]);
    expectNoGaps(run);
    expect(run.timeline.map(({ content }) => content)).toEqual([
      'Look first.',
      'I look.',
      'fixture.echo(pod: "a")',
      expect.stringContaining('"pod":"a"'),
      'Now I know.',
      'Out of memory.',
    ]);
    // The signature itself is in no event.
    const thoughts = run.timeline.filter(({ eventType }) => eventType === 'llm_thinking');
    expect(thoughts.map(({ metadata }) => metadata)).toEqual(
      Array(2).fill({ source: 'native', signed: true }),
    );
    expect(run.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    const end = {
      status: 'completed',
      failure: null,
      finalAnalysis: 'Out of memory.',
      endedAt: expect.any(Date),
    };
    expect(run.session).toMatchObject(end);
    expect(run.execution).toMatchObject({ ...end, executionId: EXECUTION, iteration: 2 });
    expect(run.stages).toMatchObject([{ status: 'completed', finishedExecutions: [EXECUTION] }]);
  });

  it('is one message and one model call per iteration', async () => {
    const run = await investigate({
      agent: { tools: ['fixture'] },
      script: {
        conversations: [{ turns: [{ toolCalls: [echo()] }, { toolCalls: [echo()] }, { text: 'Done.' }] }],
      },
    });
    expect(run.deps.publisher.published.map(({ topic }) => topic)).toEqual([
      'alerts',
      'iterations',
      'iterations',
      'iterations',
    ]);
    expect(run.gemini.requests).toHaveLength(3);
    expect(run.interactions.map(({ iteration, toolCallCount }) => [iteration, toolCallCount])).toEqual([
      [1, 1],
      [2, 1],
      [3, 0],
    ]);
  });

  it('records each model call, and sums their tokens', async () => {
    const run = await investigate({
      agent: { tools: ['fixture'] },
      script: {
        conversations: [
          {
            turns: [
              { thinking: 'Hm.', toolCalls: [echo()], usage: { prompt: 100, candidates: 10, thoughts: 5 } },
              { text: 'Done.', usage: { prompt: 200, candidates: 20, thoughts: 0, cached: 90 } },
            ],
          },
        ],
      },
    });
    expect(run.interactions).toMatchObject([
      {
        interactionType: 'iteration',
        model: 'gemini-3.8-flash',
        messageCount: 2,
        thinking: 'Hm.',
        finishReason: 'STOP',
        attempts: 1,
        attemptErrors: [],
        failure: null,
        tokens: { input: 100, output: 10, thinking: 5, cached: 0, total: 115 },
      },
      { messageCount: 4, tokens: { input: 200, output: 20, thinking: 0, cached: 90, total: 220 } },
    ]);
    for (const { requestBytes, responseBytes } of run.interactions) {
      expect(requestBytes).toBeGreaterThan(0);
      expect(responseBytes).toBeGreaterThan(0);
    }
    const sum = run.interactions.reduce(
      (total, { tokens }) => addTokens(total, tokens ?? NO_TOKENS),
      NO_TOKENS,
    );
    expect(sum.cached).toBe(90);
    expect(run.execution.tokens).toEqual(sum);
    expect(run.session.tokens).toEqual(sum);
  });

  it('records the cost of each call, and their sum', async () => {
    const prices = [{ from: '2020-01-01', input: 1, cached: 0.1, output: 10 }];
    const turns = [
      { toolCalls: [echo()], usage: { prompt: 1_000, candidates: 100, thoughts: 50 } },
      { text: 'Done.', usage: { prompt: 2_000, candidates: 200, thoughts: 0, cached: 900 } },
    ];
    const run = await investigate({
      agent: { tools: ['fixture'], model: { ...sampleAgent().model, prices } },
      script: { conversations: [{ turns }] },
    });
    expect(run.interactions.map(({ costUsd }) => costUsd)).toEqual([0.0025, 0.00319]);
    expect(run.execution.cost).toEqual({ usd: 0.00569, unpricedCalls: 0 });
    expect(run.session.cost).toEqual(run.execution.cost);
  });

  it.each<[string, boolean, Turn, number | null]>([
    ['is unknown without a price', false, { text: 'Done.' }, null],
    [
      'is unknown without a price and without an answer',
      false,
      { text: 'Done.', failures: [{ status: 400 }] },
      null,
    ],
    [
      'is unknown without a price for a refused prompt',
      false,
      { text: '', failures: [{ blockReason: 'SAFETY' }] },
      null,
    ],
    [
      'is 0 without an answer where the model has a price',
      true,
      { text: '', failures: [{ status: 400 }] },
      0,
    ],
  ])('the cost of a call %s', async (_, isPriced, turn, costUsd) => {
    const prices = isPriced ? [{ from: '2020-01-01', input: 1, cached: 0.1, output: 10 }] : undefined;
    const run = await investigate({
      agent: { model: { ...sampleAgent().model, prices } },
      script: { conversations: [{ turns: [turn] }] },
    });
    expect(run.interactions.map((call) => call.costUsd)).toEqual([costUsd]);
    expect(run.session.cost).toEqual({ usd: 0, unpricedCalls: costUsd === null ? 1 : 0 });
  });

  it('counts the tokens of failed attempts too, because they are billed', async () => {
    const run = await investigate({
      script: {
        conversations: [
          {
            turns: [
              {
                text: 'A long answer whose first half arrives twice. '.repeat(10),
                usage: { prompt: 100 },
                failures: [{ cut: true, afterChunks: 2 }],
              },
            ],
          },
        ],
      },
    });
    expect(run.interactions).toMatchObject([
      { attempts: 2, attemptErrors: [expect.stringMatching(/^MODEL_STREAM_CUT/)] },
    ]);
    expect(run.execution.tokens.input).toBe(200);
    expect(run.interactions[0]?.tokens).toEqual(run.execution.tokens);
  });

  it('runs read-only calls in parallel, and its results are in the order of the calls', async () => {
    const run = await investigate({
      agent: { tools: ['fixture'] },
      script: {
        conversations: [
          {
            turns: [
              { toolCalls: [echo({ n: 1 }), { name: 'fixture.cancelled' }, echo({ n: 3 })] },
              { text: 'Done.' },
            ],
          },
        ],
      },
    });
    expect(listEventTypes(run)).toEqual([
      'llm_tool_call',
      'tool_result',
      'llm_tool_call',
      'tool_result',
      'llm_tool_call',
      'tool_result',
      'final_analysis',
    ]);
    expectNoGaps(run);
    expect(listToolResults(run).map(({ content }) => content)).toEqual([
      expect.stringContaining('"n":1'),
      '[]',
      expect.stringContaining('"n":3'),
    ]);
    const calls = run.timeline.flatMap((event) =>
      event.eventType === 'llm_tool_call' ? [event.metadata.callId] : [],
    );
    const results = listToolResults(run).map(({ metadata }) => metadata.callId);
    expect(new Set(calls).size).toBe(3);
    expect(results).toEqual(calls);
  });

  it('keeps the alert as it came and shows it to the agent as data', async () => {
    const alert = JSON.stringify({ title: 'Disk full on db-1', severity: 'page', host: 'db-1' });
    const run = await investigate({ alert, script: { conversations: [{ turns: [{ text: 'Done.' }] }] } });
    expect(run.alertBody.map(({ text }) => text).join('')).toBe(alert);
    expect(readSessionAlert(run.session)).toMatchObject({ source: 'json', title: 'Disk full on db-1' });
    const [system, user] = run.messages;
    expect(system?.blocks).toMatchObject([{ textContent: expect.stringContaining('Find the root cause.') }]);
    expect(user?.blocks).toMatchObject([
      { textContent: expect.stringContaining(run.session.input ?? 'no alert') },
    ]);
    expect(run.session.input).toContain('db-1');
  });

  it('carries the trace of the alert to every message of the iterations', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const bench = await startBench({
      agent: { tools: ['fixture'] },
      script: { conversations: [{ turns: [{ toolCalls: [echo()] }, { text: 'Done.' }] }] },
    });
    const sessionId = await bench.publishAlert(undefined, { traceparent });
    await bench.drain();
    const run = await bench.read(sessionId);
    expect(run.session.traceparent).toBe(traceparent);
    for (const message of bench.deps.publisher.published)
      expect(message.attributes).toMatchObject({ traceparent });
    expect(listToolResults(run)[0]?.content).toContain(`"traceparent":"${traceparent}"`);
  });
});
