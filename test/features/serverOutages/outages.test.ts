import { describe, expect, it, onTestFinished } from 'vitest';
import { expectNoGaps, listErrorCodes, listEventTypes, listToolResults } from '../../support/expectations.ts';
import { type Bench, type BenchOptions, EXECUTION, opened } from '../../support/harness.ts';
import { EVERY_TOOL } from '../../tools/everyTool.ts';
import { startDeadServer, startFlakyServer, startStatelessServer } from '../../tools/httpServer.ts';

type Turn = BenchOptions['script']['conversations'][number]['turns'][number];
const script = (...turns: Turn[]) => ({
  conversations: [{ turns, conclusion: { text: 'I could not look.' } }],
});
const calls = (...names: string[]): Turn => ({ toolCalls: names.map((name) => ({ name })) });
const DONE: Turn = { text: 'Done.' };

/** The pauses between the tries at a server whose outage is new, in milliseconds. */
const PAUSES_MS = [1_000, 3_000];

/** An opened investigation in which those pauses pass as soon as they begin. */
async function start(options: BenchOptions) {
  const bench = await opened(options);
  const { clock } = bench.deps;
  const { after } = clock;
  clock.after = (ms, action) => {
    if (PAUSES_MS.includes(ms)) setImmediate(() => clock.advance(ms));
    return after(ms, action);
  };
  return { ...bench, state: () => bench.read(bench.sessionId) };
}

/** What the nth request declares and says. */
function request({ gemini }: Pick<Bench, 'gemini'>, index: number) {
  const body = gemini.requests[index]?.body as {
    systemInstruction: unknown;
    contents: unknown[];
    tools?: { functionDeclarations?: { name: string }[] }[];
  };
  const tools = (body.tools ?? []).flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  return { body, tools: tools.map(({ name }) => name), said: JSON.stringify(body.contents) };
}

/** A server for one test. */
async function use<T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  onTestFinished(() => server.close());
  return server;
}

async function closedPort() {
  const server = await startDeadServer(500);
  await server.close();
  return { transport: 'http' as const, url: server.url };
}

const sentence = (name: string) => `The tool server \\"${name}\\" cannot be reached`;
const occurrences = (text: string, part: string) => text.split(part).length - 1;
const OUTAGE = { code: 'TOOL_SERVER_UNAVAILABLE', retryable: true, recoverable: true };

describe('a server that cannot be reached', () => {
  it.each([
    ['a port without a server', closedPort, true],
    [
      'a command that does not exist',
      async () => ({ transport: 'stdio' as const, command: 'no-such-command' }),
      false,
    ],
    [
      'a process that ends at once',
      async () => ({
        transport: 'stdio' as const,
        command: process.execPath,
        args: ['-e', 'process.exit(3)'],
      }),
      true,
    ],
  ])('is missing, is named once, and costs no iteration: %s', async (_, server, retryable) => {
    const bench = await start({
      servers: { gone: await server() },
      agent: { tools: ['gone', 'fixture.echo'], limits: { maxIterations: 3 } },
      script: script(calls('fixture.echo'), calls('fixture.echo'), DONE),
    });
    await bench.drain();
    const run = await bench.state();
    expect(listEventTypes(run)).toEqual([
      'error failed',
      'llm_tool_call',
      'tool_result',
      'llm_tool_call',
      'tool_result',
      'final_analysis',
    ]);
    expect(run.timeline[0]).toMatchObject({
      content: expect.stringMatching(
        /^MCP server "gone" is unavailable: .* The agent goes on without its tools\.$/,
      ),
      metadata: { ...OUTAGE, retryable, iteration: 1 },
    });
    for (const index of [0, 1, 2]) {
      const { tools, said } = request(bench, index);
      expect(tools).toEqual(['fixture__echo', 'read_result']);
      expect(occurrences(said, sentence('gone'))).toBe(1);
    }
    expect(run.execution).toMatchObject({
      iteration: 3,
      missingServers: [{ name: 'gone', permanent: !retryable }],
    });
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });

  it.each(['native-thinking', 'react'])(
    'is named after the texts that the model got already, which stay unchanged: %s',
    async (strategy) => {
      const flaky = await use(startFlakyServer(false));
      const call: Turn =
        strategy === 'react'
          ? { text: 'Thought: I look.\nAction: flaky.die\nAction Input: {}' }
          : calls('flaky.die');
      const answer = strategy === 'react' ? { text: 'Final Answer: Done.' } : DONE;
      const bench = await start({
        servers: { flaky: { transport: 'http', url: flaky.url } },
        agent: { strategy, tools: ['flaky', 'fixture.echo'] },
        script: script(call, answer),
      });
      await bench.drain();
      const [first, second] = [request(bench, 0), request(bench, 1)];
      expect(second.body.contents.slice(0, first.body.contents.length)).toEqual(first.body.contents);
      expect(JSON.stringify(second.body.contents.at(-1))).toContain(sentence('flaky'));
      const run = await bench.state();
      expect(listEventTypes(run).filter((type) => type === 'error failed')).toHaveLength(1);
      expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Done.' });
      expectNoGaps(run);
    },
  );

  it('is tried three times when its outage is new, and once in each later iteration', async () => {
    const broken = await use(startDeadServer(500));
    const bench = await start({
      servers: { broken: { transport: 'http', url: broken.url } },
      agent: { tools: ['broken', 'fixture.echo'] },
      script: script(calls('fixture.echo'), DONE),
    });
    await bench.deliverNext();
    const first = broken.requests.length;
    await bench.drain();
    expect(broken.requests).toHaveLength(first + first / 3);
  });

  it.each([401, 403])('is not tried again when it refuses the login (%i)', async (status) => {
    const refusing = await use(startDeadServer(status));
    const bench = await start({
      servers: { gone: { transport: 'http', url: refusing.url } },
      agent: { tools: ['gone', 'fixture.echo'] },
      script: script(calls('fixture.echo'), calls('fixture.echo'), DONE),
    });
    await bench.deliverNext();
    const tried = refusing.requests.length;
    expect(tried).toBeGreaterThan(0);
    await bench.drain();
    expect(refusing.requests).toHaveLength(tried);
    const run = await bench.state();
    expect(run.timeline[0]?.metadata).toEqual({ ...OUTAGE, retryable: false, iteration: 1 });
    expect(listErrorCodes(run)).toHaveLength(1);
    expect(request(bench, 0).said).toContain(`${sentence('gone')} in this investigation`);
  });

  it('is back in a later iteration: its tools are in the list, and the model gets a notice; then it can go again', async () => {
    const flaky = await use(startFlakyServer(true));
    const bench = await start({
      servers: { flaky: { transport: 'http', url: flaky.url } },
      agent: { tools: ['flaky.echo', 'flaky.die', 'fixture.echo'] },
      script: script(calls('fixture.echo'), calls('flaky.echo', 'flaky.die'), DONE),
    });
    await bench.deliverNext();
    expect((await bench.state()).execution.missingServers).toEqual([{ name: 'flaky', permanent: false }]);
    flaky.isDown = false;
    await bench.deliverNext();
    expect((await bench.state()).execution.missingServers).toEqual([]);
    await bench.drain();
    expect([0, 1, 2].map((index) => request(bench, index).tools)).toEqual([
      ['fixture__echo', 'read_result'],
      ['fixture__echo', 'flaky__die', 'flaky__echo', 'read_result'],
      ['fixture__echo', 'read_result'],
    ]);
    expect(request(bench, 1).said).toContain('can be reached again: its tools are back in your list.');
    expect(occurrences(request(bench, 2).said, sentence('flaky'))).toBe(2);
    const run = await bench.state();
    expect(listEventTypes(run)).toEqual([
      'error failed',
      'llm_tool_call',
      'tool_result',
      'llm_tool_call',
      'tool_result',
      'llm_tool_call',
      'tool_result failed',
      'error failed',
      'final_analysis',
    ]);
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });

  it('answers calls of an answer that was stored before it went, with the reason', async () => {
    const flaky = await use(startFlakyServer(false));
    const bench = await start({
      // The process that goes on keeps no connection of the one that died.
      servers: { flaky: { transport: 'http', url: flaky.url, keepConnection: false } },
      agent: { tools: ['flaky.echo', 'fixture.echo'] },
      script: script(calls('flaky.echo', 'fixture.echo'), DONE),
    });
    // The claim and the answer are stored; then the process dies, and the server too.
    bench.dieAfterCommits(2);
    await expect(bench.deliverNext()).rejects.toThrow('died');
    flaky.isDown = true;
    bench.revive();
    await bench.drain();
    const run = await bench.state();
    expect(listToolResults(run)).toMatchObject([
      { content: expect.stringMatching(/^flaky\.echo could not be run: MCP server "flaky" is unavailable/) },
      { status: 'completed' },
    ]);
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });

  it('is named once although the process died right after that', async () => {
    const bench = await start({
      servers: { gone: await closedPort() },
      agent: { tools: ['gone', 'fixture.echo'] },
      script: script(DONE),
    });
    // The claim and the outage are stored.
    bench.dieAfterCommits(2);
    await expect(bench.deliverNext()).rejects.toThrow('died');
    expect(listEventTypes(await bench.state())).toEqual(['error failed']);
    bench.revive();
    await bench.drain();
    const run = await bench.state();
    expect(listEventTypes(run)).toEqual(['error failed', 'final_analysis']);
    expect(occurrences(request(bench, 1).said, sentence('gone'))).toBe(1);
    expectNoGaps(run);
  });

  it('that never answers is missing after half of the iteration', async () => {
    const silent = await use(startDeadServer(null));
    const bench = await start({
      servers: { silent: { transport: 'http', url: silent.url } },
      // No other server: whether its connection came before the limit would be a matter of luck.
      agent: { tools: ['silent'], nativeTools: ['code_execution'], limits: { iterationTimeoutMs: 20_000 } },
      script: script(DONE),
    });
    const working = bench.drain();
    await expect.poll(() => silent.requests.length).toBeGreaterThan(0);
    bench.deps.clock.advance(10_000);
    await working;
    const run = await bench.state();
    expect(run.timeline[0]?.content).toMatch(/"silent" is unavailable: no connection within 10 s\./);
    expect(listEventTypes(run)).toEqual(['error failed', 'final_analysis']);
    expect(run.execution).toMatchObject({ iteration: 1, consecutiveTimeouts: 0 });
  });
});

describe('an agent whose tools are all missing', () => {
  it.each(['native-thinking', 'react'])(
    'is tried a second time after a pause, then the agent concludes: %s',
    async (strategy) => {
      const bench = await start({
        servers: { gone: await closedPort() },
        agent: { strategy, tools: ['gone'] },
        script:
          strategy === 'react'
            ? script({ text: 'Final Answer: I could not look.' })
            : script(calls('gone.look')),
      });
      await expect(bench.deliverNext()).rejects.toMatchObject({ code: 'EXECUTION_WAITING' });
      const paused = await bench.state();
      expect(paused.execution).toMatchObject({ iteration: 1, claims: 0, lease: null });
      expect(paused.execution.notBefore).not.toBeNull();
      expect(bench.gemini.requests).toEqual([]);

      const [, message] = bench.deps.publisher.published;
      if (message === undefined) throw new Error('nothing was published');
      await expect(bench.deliver(message)).rejects.toMatchObject({ code: 'EXECUTION_WAITING' });
      bench.deps.clock.advance(10_000);
      await bench.deliver(message);
      const run = await bench.state();
      expect(listEventTypes(run)).toEqual(['error failed', 'final_analysis']);
      expect(run.timeline[1]).toMatchObject({
        content: 'I could not look.',
        metadata: { forcedConclusion: true, iterationsUsed: 0, maxIterations: 5 },
      });
      expect(request(bench, 0).tools).toEqual([]);
      expect(request(bench, 0).said).toContain('None of your tools can be reached');
      expect(run.interactions).toMatchObject([{ iteration: 1, interactionType: 'forced_conclusion' }]);
      expect(run.execution.caveats).toEqual(['TOOL_SERVER_UNAVAILABLE']);
      expect(run.session).toMatchObject({ status: 'completed', failure: null });
      expectNoGaps(run);
    },
  );

  it('continues when one is back at the second try', async () => {
    const flaky = await use(startFlakyServer(true));
    const bench = await start({
      servers: { flaky: { transport: 'http', url: flaky.url } },
      agent: { tools: ['flaky.echo'] },
      script: script(calls('flaky.echo'), DONE),
    });
    await expect(bench.deliverNext()).rejects.toMatchObject({ code: 'EXECUTION_WAITING' });
    flaky.isDown = false;
    bench.deps.clock.advance(10_000);
    const [, message] = bench.deps.publisher.published;
    if (message !== undefined) await bench.deliver(message);
    await bench.drain();
    const run = await bench.state();
    expect(listEventTypes(run)).toEqual(['error failed', 'llm_tool_call', 'tool_result', 'final_analysis']);
    expect(run.interactions.map(({ iteration }) => iteration)).toEqual([1, 2]);
    expect(run.session.finalAnalysis).toBe('Done.');
    expectNoGaps(run);
  });

  it('concludes at once when no try can help', async () => {
    const bench = await start({
      servers: { gone: { transport: 'stdio', command: 'no-such-command' } },
      agent: { tools: ['gone'] },
      script: script(calls('gone.look')),
    });
    await bench.deliverNext();
    const run = await bench.state();
    expect(listEventTypes(run)).toEqual(['error failed', 'final_analysis']);
    expect(run.session.status).toBe('completed');
  });

  it('uses the native tools it has instead of concluding', async () => {
    const bench = await start({
      servers: { gone: await closedPort() },
      agent: { tools: ['gone'], nativeTools: ['google_search'], outsideTools: 'together' },
      script: script(DONE),
    });
    await bench.drain();
    const run = await bench.state();
    expect(request(bench, 0).body.tools).toMatchObject([{ googleSearch: {} }]);
    expect(run.timeline.at(-1)?.metadata).not.toHaveProperty('forcedConclusion');
    expect(run.executions).toMatchObject([{ executionId: EXECUTION, status: 'completed' }]);
  });
});

describe('a server that takes calls and does not answer them', () => {
  const HUNG =
    /^MCP server "hung" is unavailable: it took calls and did not answer them in time, in 2 iterations/;
  const hung = async () => ({
    transport: 'http' as const,
    url: (await use(startStatelessServer())).url,
    timeoutMs: 50,
    ...EVERY_TOOL,
  });

  it('does not end an investigation while others answer: one of five calls, twice', async () => {
    const five = ['hung.slow', ...Array.from({ length: 4 }, () => 'fixture.echo')];
    const bench = await start({
      servers: { hung: await hung() },
      agent: { tools: ['hung', 'fixture'], limits: { maxIterations: 20, afterFailure: 'conclude' } },
      script: script(calls(...five), calls(...five), DONE),
    });
    await bench.drain();
    const run = await bench.state();
    expect(listToolResults(run).map(({ status }) => status)).toEqual([
      'timed_out',
      'completed',
      'completed',
      'completed',
      'completed',
      'timed_out',
      'completed',
      'completed',
      'completed',
      'completed',
    ]);
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Done.' });
    expect(run.timeline.find(({ eventType }) => eventType === 'error')).toMatchObject({
      content: expect.stringMatching(HUNG),
      metadata: { ...OUTAGE, iteration: 3 },
    });
    expect(request(bench, 1).tools).toContain('hung__slow');
    expect(request(bench, 2).tools).toEqual(expect.not.arrayContaining(['hung__slow']));
    expect(request(bench, 2).said).toContain(sentence('hung'));
    expectNoGaps(run);
  });

  it('is offered again after three iterations, and rests at once when it hangs again', async () => {
    const bench = await start({
      servers: { hung: await hung() },
      agent: { tools: ['hung', 'fixture'], limits: { maxIterations: 20 } },
      script: script(
        calls('hung.slow'),
        calls('hung.slow'),
        calls('fixture.echo'),
        calls('fixture.echo'),
        calls('fixture.echo'),
        calls('hung.slow'),
        DONE,
      ),
    });
    await bench.drain();
    const offered = Array.from({ length: 7 }, (_, index) =>
      request(bench, index).tools.includes('hung__slow'),
    );
    expect(offered).toEqual([true, true, false, false, false, true, false]);
    expect(request(bench, 5).said).toContain('can be reached again: its tools are back in your list.');
    expect((await bench.state()).session).toMatchObject({ status: 'completed', finalAnalysis: 'Done.' });
  });

  it('as the only one has the agent conclude', async () => {
    const bench = await start({
      servers: { hung: await hung() },
      agent: { tools: ['hung'], limits: { maxIterations: 20 } },
      script: script(calls('hung.slow'), calls('hung.slow')),
    });
    await bench.drain();
    const run = await bench.state();
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'I could not look.' });
    expect(run.execution.caveats).toEqual(['TOOL_SERVER_UNAVAILABLE']);
    expectNoGaps(run);
  });
});
