import { describe, expect, it } from 'vitest';
import { executionType, paths } from '../../shared/schema/documents.ts';
import { errorCodesOf, expectNoGaps, storyOf, toolResultsOf } from '../support/expectations.ts';
import { agentOf, EXECUTION, investigate, startBench } from '../support/harness.ts';

const call = (name: string, args: Record<string, unknown> = {}) => ({ name, args });
/** One answer with these calls, then a conclusion. */
const script = (...toolCalls: ReturnType<typeof call>[]) => ({
  conversations: [{ turns: [{ toolCalls }, { text: 'Done.' }] }],
});
const agent = { tools: ['fixture'] };
const answered = ['llm_tool_call', 'tool_result', 'final_analysis'];
const failed = ['llm_tool_call', 'tool_result failed', 'final_analysis'];

describe('a tool that fails', () => {
  it('is a result the model is told, and the investigation goes on', async () => {
    const run = await investigate({ agent, script: script(call('fixture.fail')) });
    expect(storyOf(run)).toEqual(failed);
    expect(toolResultsOf(run)).toMatchObject([
      { content: 'the disk is full', metadata: { toolName: 'fixture.fail', isError: true } },
    ]);
    expect(JSON.stringify(run.gemini.requests[1]?.body)).toContain('the disk is full');
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });

  it('is a result when the server refuses the call', async () => {
    const run = await investigate({ agent, script: script(call('fixture.refuse')) });
    expect(storyOf(run)).toEqual(failed);
    expect(toolResultsOf(run)[0]?.content).toContain('namespace is required');
  });

  it('is a result when its server dies during the call', async () => {
    const run = await investigate({ agent, script: script(call('fixture.die'), call('fixture.echo')) });
    expect(storyOf(run).filter((type) => type.startsWith('tool_result'))).toHaveLength(2);
    expect(toolResultsOf(run)[0]).toMatchObject({ status: 'failed', content: expect.stringContaining('fixture') });
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });

  it('is a result with the names there are when nobody knows it', async () => {
    const run = await investigate({ agent, script: script(call('kubernetes.get_pods')) });
    expect(storyOf(run)).toEqual(failed);
    expect(toolResultsOf(run)[0]?.content).toMatch(/no tool "kubernetes\.get_pods".*fixture\.echo/);
  });

  it('is a result even for an agent without tools', async () => {
    const run = await investigate({
      script: {
        // Declares nothing, so the scripted model has to be told to call all the same.
        conversations: [
          {
            turns: [
              {
                chunks: [
                  {
                    candidates: [
                      {
                        content: {
                          role: 'model',
                          parts: [
                            {
                              functionCall: { name: 'fixture__echo', args: {}, id: 'a1' },
                              thoughtSignature: '$sign',
                            },
                          ],
                        },
                        finishReason: 'STOP',
                      },
                    ],
                  },
                ],
              },
              { text: 'Done.' },
            ],
          },
        ],
      },
    });
    expect(toolResultsOf(run)).toMatchObject([{ status: 'failed', content: expect.stringContaining('no tool') }]);
    expect(run.session.status).toBe('completed');
  });

  it('is a timed-out result when it does not answer in time', async () => {
    const run = await investigate({
      agent: { ...agent, limits: { toolTimeoutMs: 200 } },
      script: script(call('fixture.slow')),
    });
    expect(storyOf(run)).toEqual(['llm_tool_call', 'tool_result timed_out', 'final_analysis']);
    expect(toolResultsOf(run)[0]?.content).toMatch(/within 200 ms.*not known/);
    expect(run.session.status).toBe('completed');
  });
});

describe('an oversized result', () => {
  it.each([1_000, 50_000])('is cut at the limit of %i bytes, and marked', async (toolResultBytes) => {
    const run = await investigate({
      agent: { ...agent, limits: { toolResultBytes } },
      script: script(call('fixture.huge')),
    });
    const [result] = toolResultsOf(run);
    expect(storyOf(run)).toEqual(answered);
    expect(result?.metadata.truncated).toBe(true);
    expect(Buffer.byteLength(result?.content ?? '')).toBeLessThanOrEqual(toolResultBytes);
    expect(result?.content).toContain('of 2000000 bytes left out');
    const sent = JSON.stringify(run.gemini.requests[1]?.body);
    expect(sent).toContain('of 2000000 bytes left out');
    expect(sent.length).toBeLessThan(toolResultBytes + 10_000);
  });
});

describe('the idempotency key', () => {
  it('is sent with each call and tells calls of an answer and of iterations apart', async () => {
    const run = await investigate({
      agent,
      script: {
        conversations: [
          {
            turns: [
              { toolCalls: [call('fixture.echo'), call('fixture.echo')] },
              { toolCalls: [call('fixture.echo')] },
              { text: 'Done.' },
            ],
          },
        ],
      },
    });
    const keys = toolResultsOf(run).map(({ content }) => {
      const { meta } = JSON.parse(content) as { meta: Record<string, unknown> };
      return meta['inquest/idempotencyKey'];
    });
    const prefix = `${run.sessionId}/${EXECUTION}`;
    expect(keys).toEqual([`${prefix}/1/0`, `${prefix}/1/1`, `${prefix}/2/0`]);
  });
});

describe('a server that cannot be started', () => {
  const servers = {
    broken: { transport: 'stdio' as const, command: process.execPath, args: ['-e', 'console.error("no licence");process.exit(3)'] },
  };
  const options = { servers, speed: 100 };

  it('costs its iterations and then fails the investigation with the reason', async () => {
    const run = await investigate({
      ...options,
      agent: { tools: ['broken'], limits: { maxIterations: 2, iterationTimeoutMs: 480_000 } },
      script: script(),
    });
    expect(run.gemini.requests).toEqual([]);
    expect(errorCodesOf(run)).toEqual(['TOOL_SERVER_UNAVAILABLE', 'TOOL_SERVER_UNAVAILABLE', 'MAX_ITERATIONS']);
    expect(run.session).toMatchObject({
      status: 'failed',
      failure: { code: 'MAX_ITERATIONS', message: expect.stringMatching(/"broken" is unavailable.*no licence/) },
    });
    expectNoGaps(run);
  });

  it('lets the model conclude without tools when configured so', async () => {
    const run = await investigate({
      ...options,
      agent: {
        tools: ['broken'],
        limits: { maxIterations: 1, iterationTimeoutMs: 480_000, afterFailure: 'conclude' },
      },
      script: { conversations: [{ turns: [{ text: 'I could not look.' }] }] },
    });
    expect(storyOf(run)).toEqual(['error failed', 'final_analysis']);
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'I could not look.' });
    // The model is told why it saw nothing.
    expect(JSON.stringify(run.gemini.requests[0]?.body)).toContain('no licence');
  });
});

describe('calls that were cut off by a crash', () => {
  /** An execution whose holder died while its calls were running. */
  async function crashed(state: 'requested' | 'running') {
    const bench = await startBench({
      agent: { tools: ['fixture'] },
      script: script(call('fixture.echo'), call('fixture.fail')),
    });
    const sessionId = await bench.publishAlert();
    const [alert] = bench.deps.publisher.published;
    if (alert === undefined) throw new Error('no alert');
    await bench.deliver(alert);
    const connectTools = bench.deps.connectTools;
    // The tools never answer, the process "dies" with the first one under way.
    bench.deps.connectTools = async (...args) => {
      const executor = await connectTools(...args);
      return { ...executor, execute: () => Promise.reject(new Error('killed')), close: () => executor.close() };
    };
    const commit = bench.deps.store.commit;
    let commits = 0;
    bench.deps.store.commit = (writes) => {
      commits += 1;
      // The claim and the answer get through.
      return commits <= 2 ? commit(writes) : Promise.reject(new Error('killed'));
    };
    const [, message] = bench.deps.publisher.published;
    if (message === undefined) throw new Error('no iteration');
    await expect(bench.deliver(message)).rejects.toThrow('killed');
    bench.deps.store.commit = commit;
    bench.deps.connectTools = connectTools;
    await bench.editExecution(sessionId, (execution) => ({
      ...execution,
      pendingCalls: execution.pendingCalls.map((pending, index) =>
        index === 1 ? { ...pending, state } : { ...pending, state: state === 'running' ? 'done' : pending.state },
      ),
    }));
    bench.deps.clock.advance(60_000);
    return { ...bench, sessionId, message };
  }

  it('are asked of the model only once, and a read-only one is run again', async () => {
    const bench = await crashed('requested');
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(bench.gemini.requests).toHaveLength(2);
    expect(toolResultsOf(run).map(({ status }) => status)).toEqual(['completed', 'failed']);
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });
});

describe('a running call whose effect may have happened', () => {
  it('is not repeated: the model is told that its effect is unverified', async () => {
    const bench = await startBench({ agent: { tools: ['fixture'] }, script: script(call('fixture.fail')) });
    const sessionId = await bench.publishAlert();
    const stored = await waitForRunningCall(bench, sessionId);
    expect(stored.pendingCalls).toMatchObject([{ name: 'fixture.fail', readOnly: false, state: 'running' }]);
    bench.deps.clock.advance(60_000);
    await bench.drain();
    const run = await bench.read(sessionId);
    expect(toolResultsOf(run)).toMatchObject([
      { content: expect.stringContaining('unverified'), metadata: { durationMs: null, isError: true } },
    ]);
    expect(run.session.status).toBe('completed');
    expect(bench.gemini.requests).toHaveLength(2);
    expectNoGaps(run);
  });

  /** The state after a holder died with its call under way. */
  async function waitForRunningCall(bench: Awaited<ReturnType<typeof startBench>>, sessionId: string) {
    const { store, publisher } = bench.deps;
    const commit = store.commit;
    let commits = 0;
    store.commit = (writes) => {
      commits += 1;
      // The alert, the claim and the answer get through; the result is lost with its holder.
      return commits <= 3 ? commit(writes) : Promise.reject(new Error('killed'));
    };
    const [alert] = publisher.published;
    if (alert) await bench.deliver(alert);
    const [, message] = publisher.published;
    if (message) await expect(bench.deliver(message)).rejects.toThrow('killed');
    store.commit = commit;
    const stored = await store.get(paths.execution(sessionId, EXECUTION), executionType);
    if (stored === undefined) throw new Error('no execution');
    return stored.value;
  }
});
