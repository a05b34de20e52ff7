import { describe, expect, it } from 'vitest';
import { cancelSession } from '../../shared/runtime/session/cancelSession.ts';
import { errorCodesOf, expectNoGaps, storyOf, toolResultsOf } from '../support/expectations.ts';
import { type BenchOptions, investigate, startBench } from '../support/harness.ts';

const done = { conversations: [{ turns: [{ text: 'Done.' }] }] };
/** The model says nothing, for ever. */
const silent = { conversations: [{ turns: [{ failures: [{ hang: true as const }] }] }] };
const call = (name: string) => ({ name });

/** An investigation whose alert is in, and whose first iteration is still to come. */
async function opened(options: BenchOptions) {
  const bench = await startBench(options);
  const sessionId = await bench.publishAlert();
  await bench.deliverNext();
  return { ...bench, sessionId };
}

describe('time-outs', () => {
  it('end the execution after two in a row', async () => {
    const run = await investigate({ agent: { limits: { iterationTimeoutMs: 300 } }, script: silent });
    expect(storyOf(run)).toEqual(['error timed_out', 'error timed_out', 'error failed']);
    expect(errorCodesOf(run)).toEqual(['ITERATION_TIMEOUT', 'ITERATION_TIMEOUT', 'ITERATION_TIMEOUT']);
    expect(run.session).toMatchObject({
      status: 'failed',
      failure: { code: 'ITERATION_TIMEOUT', message: expect.stringMatching(/^2 time-outs in a row.*0\.3 s/) },
    });
    expect(run.interactions.map(({ failure }) => failure?.code)).toEqual([
      'ITERATION_TIMEOUT',
      'ITERATION_TIMEOUT',
    ]);
    expectNoGaps(run);
  });

  it('are forgotten after an iteration that was in time', async () => {
    const failures = [{ hang: true as const }];
    const run = await investigate({
      agent: { tools: ['fixture'], limits: { iterationTimeoutMs: 1_500 } },
      script: {
        conversations: [
          {
            turns: [
              { toolCalls: [call('fixture.echo')], failures },
              { text: 'Done.', failures },
            ],
          },
        ],
      },
    });
    expect(storyOf(run)).toEqual([
      'error timed_out',
      'llm_tool_call',
      'tool_result',
      'error timed_out',
      'final_analysis',
    ]);
  });

  it('of the iteration stop its tools, each with a result', async () => {
    const run = await investigate({
      agent: { tools: ['fixture'], limits: { iterationTimeoutMs: 1_500, maxIterations: 3 } },
      script: { conversations: [{ turns: [{ toolCalls: [call('fixture.slow')] }, { text: 'Done.' }] }] },
    });
    expect(storyOf(run)).toEqual(['llm_tool_call', 'tool_result timed_out', 'final_analysis']);
    expect(toolResultsOf(run)[0]?.content).toMatch(/did not finish within 1\.5 s.*unverified/);
    expectNoGaps(run);
  });
});

describe("the session's deadline", () => {
  it('ends an execution that has not begun', async () => {
    const bench = await opened({ script: done, deadlineMs: 60_000 });
    bench.deps.clock.advance(60_000);
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(storyOf(run)).toEqual(['error timed_out']);
    expect(errorCodesOf(run)).toEqual(['DEADLINE_EXCEEDED']);
    expect(bench.gemini.requests).toEqual([]);
    expect(run.session).toMatchObject({ status: 'timed_out', failure: { code: 'DEADLINE_EXCEEDED' } });
    expectNoGaps(run);
  });

  it('cuts through a model call', async () => {
    const run = await investigate({ script: silent, deadlineMs: 700 });
    expect(storyOf(run)).toEqual(['error timed_out']);
    expect(run.interactions).toMatchObject([{ failure: { code: 'DEADLINE_EXCEEDED' } }]);
    expect(run.session.status).toBe('timed_out');
    expectNoGaps(run);
  });

  it('cuts through a tool, which gets its result before the end', async () => {
    const run = await investigate({
      agent: { tools: ['fixture'] },
      script: { conversations: [{ turns: [{ toolCalls: [call('fixture.slow'), call('fixture.echo')] }] }] },
      deadlineMs: 2_000,
    });
    expect(storyOf(run)).toEqual([
      'llm_tool_call',
      expect.stringMatching(/^tool_result/),
      'llm_tool_call',
      expect.stringMatching(/^tool_result/),
      'error timed_out',
    ]);
    expect(run.session).toMatchObject({ status: 'timed_out', failure: { code: 'DEADLINE_EXCEEDED' } });
    expectNoGaps(run);
  });
});

describe('a cancelled execution', () => {
  it('ends at once, before the model is asked, and nothing is written afterwards', async () => {
    const bench = await opened({ script: done });
    await cancelSession(bench.sessionId, bench.deps);
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(storyOf(run)).toEqual(['error cancelled']);
    expect(errorCodesOf(run)).toEqual(['CANCELLED']);
    expect(bench.gemini.requests).toEqual([]);
    expect(run.session).toMatchObject({ status: 'cancelled', finalAnalysis: null });
    expectNoGaps(run);

    const messages = bench.deps.publisher.published;
    for (const message of messages) await bench.deliver(message);
    expect((await bench.read(bench.sessionId)).versions).toEqual(run.versions);
    expect(messages).toHaveLength(2);
  });
});

describe('calls without a result', () => {
  it('get one at the end, so that no number is missing', async () => {
    const bench = await opened({
      agent: { tools: ['fixture'] },
      script: {
        conversations: [
          { turns: [{ toolCalls: [call('fixture.fail'), call('fixture.echo'), call('fixture.echo')] }] },
        ],
      },
    });
    // The claim and the answer are stored; then the process dies.
    bench.dieAfterCommits(2);
    await expect(bench.deliverNext()).rejects.toThrow('died');
    bench.revive();
    await cancelSession(bench.sessionId, bench.deps);
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(storyOf(run)).toEqual([
      'llm_tool_call',
      'tool_result cancelled',
      'llm_tool_call',
      'tool_result cancelled',
      'llm_tool_call',
      'tool_result cancelled',
      'error cancelled',
    ]);
    expect(toolResultsOf(run).map(({ content }) => content)).toEqual([
      expect.stringMatching(/^No result: .*unverified/),
      expect.stringMatching(/^Not run: /),
      expect.stringMatching(/^Not run: /),
    ]);
    expect(run.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'tool',
    ]);
    expect(run.session.status).toBe('cancelled');
    expectNoGaps(run);
  });
});
