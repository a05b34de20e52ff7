import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { expectNoGaps, listEventTypes, listToolResults } from '../support/expectations.ts';
import { IS_FULL, takeCases } from '../support/fullTests.ts';
import { EXECUTION, investigate, startBench } from '../support/harness.ts';

const call = (name: string, args: Record<string, unknown> = {}) => ({ name, args });
/** One answer with these calls, then a conclusion. */
const script = (...toolCalls: ReturnType<typeof call>[]) => ({
  conversations: [{ turns: [{ toolCalls }, { text: 'Done.' }] }],
});
const agent = { tools: ['fixture'] };
const answered = ['llm_tool_call', 'tool_result', 'final_analysis'];
const failed = ['llm_tool_call', 'tool_result failed', 'final_analysis'];

it('a tool that an agent lists and its server does not have is a notice once, and a caveat of the session', async () => {
  const run = await investigate({
    agent: { tools: ['fixture.echo', 'fixture.removed'] },
    script: script(call('fixture.echo')),
  });
  expect(run.timeline.filter(({ eventType }) => eventType === 'notice')).toMatchObject([
    {
      content: expect.stringContaining(
        'fixture does not have tools that investigator lists: fixture.removed',
      ),
      metadata: { code: 'tool_missing', subject: 'fixture' },
    },
  ]);
  expect(run.session).toMatchObject({
    status: 'completed',
    caveats: [{ executionId: EXECUTION, code: 'TOOL_MISSING' }],
  });
  expectNoGaps(run);
});

describe('a tool that fails', () => {
  it('is a result for the model, and the investigation continues', async () => {
    const run = await investigate({ agent, script: script(call('fixture.fail')) });
    expect(listEventTypes(run)).toEqual(failed);
    expect(listToolResults(run)).toMatchObject([
      { content: 'the disk is full', metadata: { toolName: 'fixture.fail', isError: true } },
    ]);
    expect(JSON.stringify(run.gemini.requests[1]?.body)).toContain('the disk is full');
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });

  it('is a result when the server refuses the call', async () => {
    const run = await investigate({ agent, script: script(call('fixture.refuse')) });
    expect(listEventTypes(run)).toEqual(failed);
    expect(listToolResults(run)[0]?.content).toContain('namespace is required');
  });

  it('is a result when its server dies during the call', async () => {
    const run = await investigate({
      agent: { tools: ['process'] },
      script: script(call('process.die'), call('process.echo')),
    });
    expect(listEventTypes(run).filter((type) => type.startsWith('tool_result'))).toHaveLength(2);
    expect(listToolResults(run)[0]).toMatchObject({
      status: 'failed',
      content: expect.stringContaining('process'),
    });
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });

  it('is a result when the arguments do not fit its schema: nothing is called, and nothing has failed', async () => {
    const run = await investigate({
      agent: { ...agent, limits: { maxIterations: 1 } },
      script: script(call('fixture.count', { to: 'ten' }), call('fixture.count', { to: 10 })),
    });
    expect(listToolResults(run)).toMatchObject([
      {
        status: 'failed',
        content: 'The argument "to" must be of type integer, not string. Nothing was executed.',
        metadata: { toolName: 'fixture.count', isError: true, durationMs: 0 },
      },
      { status: 'completed', content: 'counted to {"to":10}' },
    ]);
    // The default for a failed last interaction is to fail; this one concludes.
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Done.' });
    expectNoGaps(run);
  });

  it('is a result with the existing names when there is no such tool', async () => {
    const run = await investigate({ agent, script: script(call('kubernetes.get_pods')) });
    expect(listEventTypes(run)).toEqual(failed);
    expect(listToolResults(run)[0]?.content).toMatch(/no tool "kubernetes\.get_pods".*fixture\.echo/);
  });

  it('whose tool does not exist does not fail the last iteration: the agent concludes', async () => {
    const run = await investigate({
      agent: { ...agent, limits: { maxIterations: 1 } },
      script: script(call('kubernetes.get_pods')),
    });
    expect(listToolResults(run)[0]).toMatchObject({ status: 'failed', metadata: { isError: true } });
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Done.' });
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
    expect(listToolResults(run)).toMatchObject([
      { status: 'failed', content: expect.stringContaining('no tool') },
    ]);
    expect(run.session.status).toBe('completed');
  });

  it('is a timed-out result when it does not answer in time', async () => {
    for (const server of IS_FULL ? ['fixture', 'process'] : ['fixture']) {
      const run = await investigate({
        agent: { tools: [server], limits: { toolTimeoutMs: 200 } },
        script: script(call(`${server}.slow`)),
      });
      expect(listEventTypes(run)).toEqual(['llm_tool_call', 'tool_result timed_out', 'final_analysis']);
      expect(listToolResults(run)[0]?.content).toMatch(/within 200 ms.*not known/);
      expect(run.session.status).toBe('completed');
    }
  });
});

describe('the process of a server', () => {
  const STDIO_SERVER = fileURLToPath(new URL('./stdioServer.ts', import.meta.url));
  const look = (round: number) => ({ toolCalls: [call('own.echo', { round })] });
  /** The process that answered, in each of three iterations. */
  async function processes(
    keepConnection: boolean,
    secondTurn: { toolCalls: ReturnType<typeof call>[] } = look(2),
  ): Promise<number[]> {
    const run = await investigate({
      agent: { tools: ['own'] },
      servers: {
        own: { transport: 'stdio', command: process.execPath, args: [STDIO_SERVER], keepConnection },
      },
      script: { conversations: [{ turns: [look(1), secondTurn, look(3), { text: 'Done.' }] }] },
    });
    expect(run.session.status).toBe('completed');
    const answers = listToolResults(run).filter(({ status }) => status === 'completed');
    return answers.map(({ content }) => JSON.parse(content).pid);
  }

  it.runIf(IS_FULL)('is the same in all iterations', async () => {
    const pids = await processes(true);
    expect(pids).toHaveLength(3);
    expect(new Set(pids).size).toBe(1);
  });

  it.runIf(IS_FULL)('is a different one in each when the configuration asks for it', async () => {
    expect(new Set(await processes(false)).size).toBe(3);
  });

  it.runIf(IS_FULL)('is replaced when it died in an iteration, without an outage', async () => {
    const pids = await processes(true, { toolCalls: [call('own.die')] });
    expect(pids).toHaveLength(2);
    expect(new Set(pids).size).toBe(2);
  });
});

describe('an oversized result', () => {
  it.each(takeCases([1_000, 50_000], 1))(
    'is cut at the limit of %i bytes, and marked',
    async (toolResultBytes) => {
      const run = await investigate({
        agent: { ...agent, limits: { toolResultBytes } },
        script: script(call('fixture.huge')),
      });
      const [result] = listToolResults(run);
      expect(listEventTypes(run)).toEqual(answered);
      expect(result?.metadata.truncated).toBe(true);
      expect(Buffer.byteLength(result?.content ?? '')).toBeLessThanOrEqual(toolResultBytes);
      expect(result?.content).toContain('of 2000000 bytes left out');
      const sent = JSON.stringify(run.gemini.requests[1]?.body);
      expect(sent).toContain('of 2000000 bytes left out');
      expect(sent.length).toBeLessThan(toolResultBytes + 10_000);
    },
  );
});

describe('an answer with more calls than the limit', () => {
  it('has the first 64 run; the results of the others give the reason', async () => {
    const calls = Array.from({ length: 66 }, (_, index) => call('fixture.cancelled', { index }));
    const run = await investigate({ agent, script: script(...calls) });
    const results = listToolResults(run);
    expect(results.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 64 }, () => 'completed'),
      'failed',
      'failed',
    ]);
    expect(results.at(-1)?.content).toBe(
      'Not run: an answer can request at most 64 calls; this one requested 66.',
    );
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });
});

describe('the idempotency key', () => {
  it('is sent with each call and keeps calls of an answer and of iterations apart', async () => {
    const run = await investigate({
      agent,
      script: {
        conversations: [
          {
            turns: [
              { toolCalls: [call('fixture.echo'), call('fixture.echo')] },
              { toolCalls: [call('fixture.echo', { other: true })] },
              { text: 'Done.' },
            ],
          },
        ],
      },
    });
    const keys = listToolResults(run).map(({ content }) => {
      const { meta } = JSON.parse(content) as { meta: Record<string, unknown> };
      return meta['inquest/idempotencyKey'];
    });
    const prefix = `${run.sessionId}/${EXECUTION}`;
    expect(keys).toEqual([`${prefix}/1/0`, `${prefix}/1/1`, `${prefix}/2/0`]);
  });
});

describe('the third identical call', () => {
  const echo = call('fixture.count', { to: 3 });
  const turns = (...calls: ReturnType<typeof call>[]) => ({
    conversations: [{ turns: [...calls.map((one) => ({ toolCalls: [one] })), { text: 'Done.' }] }],
  });

  it('is not run when it only reads: the model gets the place of its results', async () => {
    const run = await investigate({ agent, script: turns(echo, call('fixture.echo'), echo, echo) });
    const results = listToolResults(run);
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'completed'));
    expect(results[3]).toMatchObject({
      content: expect.stringMatching(
        /^Not run: fixture\.count was called with these arguments in iterations 1 and 3 already\. Its result was the same both times\..*conclude\.$/,
      ),
      metadata: { toolName: 'fixture.count', isError: false, durationMs: 0 },
    });
    expect(JSON.stringify(run.gemini.requests.at(-1)?.body)).toContain('in iterations 1 and 3 already');
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });

  it('is no failure of its iteration', async () => {
    const run = await investigate({
      agent: { ...agent, limits: { maxIterations: 3 } },
      script: turns(echo, echo, echo),
    });
    expect(run.execution).toMatchObject({ lastInteractionFailed: false, lastErrorMessage: null });
    expect(run.session.status).toBe('completed');
  });

  it('is run when it can change something, or when the agent is configured so', async () => {
    const changing = await investigate({
      agent,
      script: turns(call('fixture.fail'), call('fixture.fail'), call('fixture.fail')),
    });
    expect(listToolResults(changing).map(({ content }) => content)).toEqual(
      Array.from({ length: 3 }, () => 'the disk is full'),
    );
    const limits = { repeatedCalls: 'run' as const };
    const configured = await investigate({ agent: { ...agent, limits }, script: turns(echo, echo, echo) });
    expect(listToolResults(configured)[2]?.content).toBe('counted to {"to":3}');
  });
});

describe('after a crash among the tools', () => {
  /** An investigation whose first iteration dies after so many commits: claim, answer, results. */
  async function crashed(commits: number, ...calls: ReturnType<typeof call>[]) {
    const bench = await startBench({ agent, script: script(...calls) });
    const sessionId = await bench.publishAlert();
    const message = await bench.deliverNext();
    expect(message.topic).toBe('alerts');
    bench.dieAfterCommits(commits);
    await expect(bench.deliverNext()).rejects.toThrow('died');
    const before = await bench.read(sessionId);
    bench.revive();
    await bench.drain();
    return { before, after: await bench.read(sessionId), gemini: bench.gemini };
  }

  it('the stored answer is not asked for again, and a read-only call is run again', async () => {
    const { before, after, gemini } = await crashed(2, call('fixture.echo'));
    expect(before.execution.pendingCalls).toMatchObject([{ readOnly: true, state: 'running' }]);
    expect(listToolResults(after)).toMatchObject([{ status: 'completed', metadata: { isError: false } }]);
    expect(gemini.requests).toHaveLength(2);
    expect(after.session.status).toBe('completed');
    expectNoGaps(after);
  });

  it('a result that was stored is not produced again', async () => {
    const { before, after } = await crashed(
      3,
      call('fixture.echo', { n: 1 }),
      call('fixture.echo', { n: 2 }),
    );
    const [stored] = listToolResults(before);
    expect(listToolResults(before)).toHaveLength(1);
    expect(listToolResults(after)).toHaveLength(2);
    expect(listToolResults(after)).toContainEqual(stored);
    expectNoGaps(after);
  });

  it('a call that perhaps had an effect is not repeated: the model learns that its outcome is unknown, and how to check', async () => {
    const { before, after, gemini } = await crashed(2, call('fixture.fail'));
    expect(before.execution.pendingCalls).toMatchObject([{ readOnly: false, state: 'running' }]);
    expect(listToolResults(after)).toMatchObject([
      {
        status: 'failed',
        content: expect.stringMatching(/^Outcome unknown: .*Verify with a read-only call \(fixture\.\w+/),
        metadata: { durationMs: null, outcome: 'unknown' },
      },
    ]);
    expect(JSON.stringify(gemini.requests[1]?.body)).toContain('Outcome unknown');
    expect(after.session.status).toBe('completed');
    expectNoGaps(after);
  });

  it('a call that had not started is run', async () => {
    const { before, after } = await crashed(2, call('fixture.fail'), call('fixture.echo'));
    expect(before.execution.pendingCalls).toMatchObject([{ state: 'running' }, { state: 'requested' }]);
    expect(listToolResults(after).map(({ status }) => status)).toEqual(['failed', 'completed']);
    expectNoGaps(after);
  });
});
