// A replay injects what people, servers, models and limits did while the session ran.

import { expect, it, onTestFinished } from 'vitest';
import { compareReplay } from '../../shared/cases/compareReplay.ts';
import { copySessionDocuments, readRecording, writeRecording } from '../../shared/cases/recording.ts';
import { replayWithModel } from '../../shared/cases/replay/replayModel.ts';
import { replayStored } from '../../shared/cases/replayStored.ts';
import { cancelSession } from '../../shared/core/session/cancelSession.ts';
import { addGuidance } from '../../shared/kits/steering/addGuidance.ts';
import { pauseSession, resumeSession } from '../../shared/kits/steering/pauseSession.ts';
import { sessionDocuments } from '../../shared/kits/views/documents/sessionDocuments.ts';
import { IS_LONG } from '../support/fullTests.ts';
import { agentOf, type Bench, type BenchOptions, readInvestigation, startBench } from '../support/harness.ts';
import { startFlakyServer, startListedServer } from '../tools/httpServer.ts';

type Opened = Bench & { sessionId: string };
const ada = { by: 'ada' };
const echo = (text: string) => ({ toolCalls: [{ name: 'fixture.echo', args: { text } }] });
const DONE = { text: 'The node is full.' };
const turns = (...all: object[]) => ({
  conversations: [{ turns: all as never, conclusion: { text: 'Not found.' } }],
});

/** Lets the pauses between tries at a server pass at once. */
function skipPauses({ deps: { clock } }: Opened): void {
  const { after } = clock;
  clock.after = (ms, action) => {
    if (ms === 1_000 || ms === 3_000) setImmediate(() => clock.advance(ms));
    return after(ms, action);
  };
}

const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, args }] });
const GONE = { gone: { transport: 'stdio' as const, command: 'no-such-command' } };
const NO_GONE = /MCP server "gone" is unavailable: .* The agent goes on without its tools/;
const NO_FLAKY = /MCP server "flaky" is unavailable: .* The agent goes on without its tools/;

/** A session whose server `flaky` is down in its second iteration. */
async function flakyServer(tools: string[]) {
  const flaky = await startFlakyServer(false);
  onTestFinished(() => flaky.close());
  const look = call('flaky.echo', { text: 'a' });
  return recorded(
    {
      servers: { flaky: { transport: 'http', url: flaky.url, keepConnection: false } },
      agent: { tools },
      script: turns(look, look, look, DONE),
    },
    async (run) => {
      skipPauses(run);
      flaky.isDown = true;
      const message = run.deps.publisher.published.at(-1);
      // Without any tool the iteration waits, and is delivered again.
      if (message !== undefined) await run.deliver(message).catch(() => {});
      run.deps.clock.advance(120_000);
      flaky.isDown = false;
    },
  );
}

/** A session whose server changes the description of its tool after the first iteration. */
async function changedTool() {
  let description = 'reads';
  const shop = await startListedServer(() => [
    { name: 'read', description, inputSchema: { type: 'object' } },
  ]);
  onTestFinished(() => shop.close());
  return recorded(
    {
      servers: { shop: { transport: 'http', url: shop.url, keepConnection: false } },
      agent: { tools: ['shop'] },
      script: turns(call('shop.read'), call('shop.read'), DONE),
    },
    async () => {
      description = 'reads and sends';
    },
  );
}

/** An investigation of three iterations with the tools of `fixture`; `act` runs after the first one. */
async function recorded(
  options: Partial<BenchOptions>,
  act: (run: Opened) => Promise<unknown> = async () => {},
) {
  const bench = await startBench({
    script: turns(echo('a'), echo('b'), DONE),
    agent: { tools: ['fixture'] },
    deadlineMs: 3_600_000,
    inMemory: true,
    ...options,
  });
  const sessionId = await bench.publishAlert();
  await bench.deliverNext();
  bench.deps.clock.advance(1000);
  await bench.deliverNext();
  bench.deps.clock.advance(1000);
  bench.deps.featureCaches?.clear();
  await act({ ...bench, sessionId });
  bench.deps.clock.advance(1000);
  await bench.drain();
  return { ...bench, sessionId };
}

const tell = ({ deps, sessionId }: Opened) =>
  addGuidance(sessionId, { text: 'Look at the node.', by: 'ada' }, deps);
const cancel = ({ deps, sessionId }: Opened) =>
  cancelSession(sessionId, deps, { by: 'ada', reason: 'a test' });
async function pauseOnce({ deps, sessionId, drain }: Opened) {
  await pauseSession(sessionId, ada, deps);
  deps.clock.advance(60_000);
  await drain();
  await resumeSession(sessionId, ada, deps);
}
async function expire({ deps, tick }: Opened) {
  deps.clock.advance(61_000);
  await tick();
}
const REFUSALS = [{ status: 400 }, { status: 400 }, { status: 400 }];
const stage = (name: string) => ({
  name,
  agents: [agentOf({ name, instructions: `You are ${name}`, tools: ['fixture'] })],
});
const TWO_STAGES = {
  script: {
    conversations: [
      { when: 'You are one', turns: [echo('a'), { text: 'One.' }] },
      { when: 'You are two', turns: [echo('b'), { text: 'Two.' }] },
    ],
  },
  stages: [stage('one'), stage('two')],
};

/** What a session had to go through, a sentence of its timeline about it, and the session. */
const INPUTS: [string, RegExp, () => Promise<Opened>][] = [
  ['guidance', /Look at the node/, () => recorded({}, tell)],
  ['guidance before a later stage', /Look at the node/, () => recorded(TWO_STAGES, tell)],
  ['a pause', /Paused by ada[\s\S]*Resumed by ada/, () => recorded({}, pauseOnce)],
  ['a cancellation', /Cancelled by ada: a test/, () => recorded({}, cancel)],
  ['an outage of a server that ends', NO_FLAKY, () => flakyServer(['flaky', 'fixture.echo'])],
  ['an outage of the only server that ends', NO_FLAKY, () => flakyServer(['flaky'])],
  [
    'an only server that never answered',
    NO_GONE,
    () => recorded({ servers: GONE, agent: { tools: ['gone'] }, script: turns(DONE) }),
  ],
  [
    'a server that never answered',
    NO_GONE,
    () => recorded({ servers: GONE, agent: { tools: ['gone', 'fixture.echo'] } }),
  ],
  ['a tool that changed', /shop\.read \(description\)/, changedTool],
  [
    'tools that fail and one that never ends',
    /the disk is full[\s\S]*did not answer within 300 ms/,
    () =>
      recorded({
        agent: { tools: ['fixture'], limits: { toolTimeoutMs: 300 } },
        script: turns(call('fixture.fail'), call('fixture.slow', { ms: 60_000 }), DONE),
      }),
  ],
  [
    'the end of its iterations',
    /Not found/,
    () => recorded({ agent: { tools: ['fixture'], limits: { maxIterations: 2 } } }),
  ],
  [
    'a model that refuses',
    /Gemini refused the request/,
    () => recorded({ script: turns(echo('a'), { failures: REFUSALS, ...echo('b') }, DONE) }),
  ],
  [
    'the end of its time',
    /did not finish before its deadline/,
    () => recorded({ deadlineMs: 60_000 }, expire),
  ],
];

it.each(INPUTS)('%s is in the replay as in its session', async (name, sign, run) => {
  const { deps, sessionId, read } = await run();
  expect((await read(sessionId)).timeline.map(({ content }) => content).join('\n')).toMatch(sign);
  const copied = await copySessionDocuments(sessionId, sessionDocuments(sessionId, deps.store));
  const recording = await readRecording(copied === undefined ? '' : writeRecording(copied), 'record.json');
  const replayed = await replayStored(recording);
  expect(replayed.leftOut).toEqual([]);
  expect(await compareReplay(sessionId, recording.store, replayed.store)).toBeUndefined();
  // A replay that asks the model has the same outages. It waits ten seconds where no tool is left.
  if ((sign !== NO_FLAKY && sign !== NO_GONE) || (name.includes('only server that ends') && !IS_LONG)) return;
  const asked = await replayWithModel(recording, {
    model: undefined,
    config: undefined,
    llm: deps.llm,
    tools: 'recorded',
    live: { sources: [], file: '' },
    seed: 'one',
    signal: new AbortController().signal,
  });
  expect(asked.leftOut).toEqual([]);
  const { timeline } = await readInvestigation(asked.store, sessionId);
  expect(timeline.map(({ content }) => content).join('\n')).toMatch(sign);
  expect(timeline.at(-1)).toMatchObject({ eventType: 'final_analysis' });
});
