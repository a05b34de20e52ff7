import { describe, expect, it } from 'vitest';
import { CRASH_POINTS } from '../../shared/core/kernel/crashPoints.ts';
import { cancelSession } from '../../shared/core/session/cancelSession.ts';
import { expectNoGaps, listErrorCodes, listEventTypes, listToolResults } from '../support/expectations.ts';
import { type Bench, opened } from '../support/harness.ts';
import { watchAnswers } from '../support/passAtAnswer.ts';

const done = { conversations: [{ turns: [{ text: 'Done.' }] }] };
/** The model begins its answer and does not end it. */
const STALL = { hang: true as const, afterChunks: 1 };
const silent = { conversations: [{ turns: [{ thinking: 'Hm.', text: 'Done.', failures: [STALL, STALL] }] }] };
const call = (name: string) => ({ name });

/** An iteration's time limit: less than a lease, because time passes too fast for renewals. */
const LIMIT_MS = 20_000;
const limits = { iterationTimeoutMs: LIMIT_MS };

/** Lets time pass once a tool runs. */
function passAtTool({ deps }: Bench, ms: number): void {
  deps.failpoint = async (point) => {
    if (point === CRASH_POINTS.duringTool) deps.clock.advance(ms);
  };
}

describe('time-outs', () => {
  it('end the execution after two in a row', async () => {
    const bench = await opened({ agent: { limits }, script: silent });
    const passAtAnswer = watchAnswers(bench);
    const working = bench.drain();
    await passAtAnswer(1, LIMIT_MS);
    await passAtAnswer(2, LIMIT_MS);
    await working;
    const run = await bench.read(bench.sessionId);
    expect(listEventTypes(run)).toEqual(['error timed_out', 'error timed_out', 'error failed']);
    expect(listErrorCodes(run)).toEqual(['ITERATION_TIMEOUT', 'ITERATION_TIMEOUT', 'ITERATION_TIMEOUT']);
    expect(run.session).toMatchObject({
      status: 'failed',
      failure: { code: 'ITERATION_TIMEOUT', message: expect.stringMatching(/^2 time-outs in a row.*20 s/) },
    });
    expect(run.interactions.map(({ failure }) => failure?.code)).toEqual([
      'ITERATION_TIMEOUT',
      'ITERATION_TIMEOUT',
    ]);
    expectNoGaps(run);
  });

  it('are forgotten after an iteration that was in time', async () => {
    const failures = [STALL];
    const bench = await opened({
      agent: { tools: ['fixture'], limits },
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
    const passAtAnswer = watchAnswers(bench);
    const working = bench.drain();
    await passAtAnswer(1, LIMIT_MS);
    // The second one is answered, the third one is not.
    await passAtAnswer(3, LIMIT_MS);
    await working;
    const run = await bench.read(bench.sessionId);
    expect(listEventTypes(run)).toEqual([
      'error timed_out',
      'llm_tool_call',
      'tool_result',
      'error timed_out',
      'final_analysis',
    ]);
  });

  describe('of tools', () => {
    const turns = (...names: string[]) => ({
      conversations: [{ turns: [...names.map((name) => ({ toolCalls: [call(name)] })), { text: 'Done.' }] }],
    });
    const agent = { tools: ['fixture'], limits: { ...limits, toolTimeoutMs: 50 } };

    it('are results for the model: it continues', async () => {
      const bench = await opened({ agent, script: turns('fixture.slow', 'process.echo', 'fixture.slow') });
      await bench.drain();
      const run = await bench.read(bench.sessionId);
      expect(listEventTypes(run)).toEqual([
        'llm_tool_call',
        'tool_result timed_out',
        'llm_tool_call',
        'tool_result failed',
        'llm_tool_call',
        'tool_result timed_out',
        'error failed',
        'final_analysis',
      ]);
      expect(run.session).toMatchObject({ status: 'completed', failure: null });
      expectNoGaps(run);
    });

    it('count neither separately nor together with those of the model, also when the process died in between', async () => {
      const toolCalls = [call('fixture.slow'), call('fixture.slow')];
      const bench = await opened({
        agent,
        script: { conversations: [{ turns: [{ toolCalls }, { text: 'Done.' }] }] },
      });
      await bench.editExecution(bench.sessionId, (execution) => ({ ...execution, consecutiveTimeouts: 1 }));
      // The claim, the answer and the first result are stored; then the process dies.
      bench.dieAfterCommits(3);
      await expect(bench.deliverNext()).rejects.toThrow('died');
      bench.revive();
      await bench.deliverNext();
      const { execution } = await bench.read(bench.sessionId);
      expect(execution).toMatchObject({
        iteration: 2,
        consecutiveTimeouts: 0,
        hungServers: [{ name: 'fixture', iterations: 1, iteration: 1 }],
      });
    });
  });

  it('of the iteration stop its tools, each with a result', async () => {
    const bench = await opened({
      agent: { tools: ['fixture'], limits: { ...limits, maxIterations: 3 } },
      script: { conversations: [{ turns: [{ toolCalls: [call('fixture.slow')] }, { text: 'Done.' }] }] },
    });
    passAtTool(bench, LIMIT_MS);
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(listEventTypes(run)).toEqual(['llm_tool_call', 'tool_result timed_out', 'final_analysis']);
    expect(listToolResults(run)[0]?.content).toMatch(/did not finish within 20 s.*unverified/);
    expectNoGaps(run);
  });
});

describe("the session's deadline", () => {
  it('ends an execution that has not started', async () => {
    const bench = await opened({ script: done, deadlineMs: 60_000 });
    bench.deps.clock.advance(60_000);
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(listEventTypes(run)).toEqual(['error timed_out']);
    expect(listErrorCodes(run)).toEqual(['DEADLINE_EXCEEDED']);
    expect(bench.gemini.requests).toEqual([]);
    expect(run.session).toMatchObject({ status: 'timed_out', failure: { code: 'DEADLINE_EXCEEDED' } });
    expectNoGaps(run);
  });

  it('cuts through a model call', async () => {
    const bench = await opened({ script: silent, deadlineMs: LIMIT_MS - 1, agent: { limits } });
    const passAtAnswer = watchAnswers(bench);
    const working = bench.drain();
    await passAtAnswer(1, LIMIT_MS - 1);
    await working;
    const run = await bench.read(bench.sessionId);
    expect(listEventTypes(run)).toEqual(['error timed_out']);
    expect(run.interactions).toMatchObject([{ failure: { code: 'DEADLINE_EXCEEDED' } }]);
    expect(run.session.status).toBe('timed_out');
    expectNoGaps(run);
  });

  it('cuts through a tool, which gets its result before the end', async () => {
    const bench = await opened({
      agent: { tools: ['fixture'], limits },
      script: { conversations: [{ turns: [{ toolCalls: [call('fixture.slow'), call('fixture.echo')] }] }] },
      deadlineMs: LIMIT_MS - 1,
    });
    passAtTool(bench, LIMIT_MS - 1);
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(listEventTypes(run)).toEqual([
      'llm_tool_call',
      'tool_result failed',
      'llm_tool_call',
      'tool_result timed_out',
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
    expect(listEventTypes(run)).toEqual(['error cancelled']);
    expect(listErrorCodes(run)).toEqual(['CANCELLED']);
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
    expect(listEventTypes(run)).toEqual([
      'llm_tool_call',
      'tool_result cancelled',
      'llm_tool_call',
      'tool_result cancelled',
      'llm_tool_call',
      'tool_result cancelled',
      'error cancelled',
    ]);
    expect(listToolResults(run).map(({ content }) => content)).toEqual([
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
