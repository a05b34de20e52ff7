// Providers cache a prompt's start: each request repeats the one before, and adds to its end.

import { describe, expect, it, onTestFinished } from 'vitest';
import { STRATEGIES } from '../../shared/core/controllers/abilities.ts';
import { createConversationCache } from '../../shared/core/kernel/conversation/conversationCache.ts';
import { addGuidance } from '../../shared/kits/steering/addGuidance.ts';
import { type Bench, type BenchOptions, EXECUTION, opened } from '../support/harness.ts';
import { sampleAgent } from '../support/samples.ts';
import { startListedServer } from '../tools/httpServer.ts';

type Turn = BenchOptions['script']['conversations'][number]['turns'][number];

const inputSchema = { type: 'object' as const, properties: { pod: { type: 'string' as const } } };
const TOOLS = ['zeta', 'alpha', 'mid'].map((name) => ({ name, description: `Does ${name}.`, inputSchema }));
const usage = { prompt: 1_000, candidates: 10, thoughts: 0 };

/** Strategies' answers: calls, one that cannot run or an unusable answer, a call, an analysis. */
const TURNS: Record<string, Turn[]> = {
  'native-thinking': [
    { thinking: 'I look.', toolCalls: [{ name: 'shop.alpha' }, { name: 'shop.zeta' }], usage },
    { text: 'And that.', toolCalls: [{ name: 'shop.gone' }], usage },
    { toolCalls: [{ name: 'shop.mid' }], usage: { ...usage, cached: 800 } },
    { text: 'Done.', usage: { ...usage, cached: 900 } },
  ],
  react: [
    { text: 'Thought: I look.\nAction: shop.alpha\nAction Input: {}', usage },
    { text: 'I do not know the format.', usage },
    { text: 'Thought: More.\nAction: shop.mid\nAction Input: {}', usage: { ...usage, cached: 800 } },
    { text: 'Final Answer: Done.', usage: { ...usage, cached: 900 } },
  ],
};

/** A request's parts in a model's reading order: system prompt, tools, then messages. */
function requestParts({ body }: Bench['gemini']['requests'][number]) {
  const { systemInstruction, tools, toolConfig, generationConfig, contents } = body as {
    [key: string]: unknown;
    contents: { role: string; parts: unknown[] }[];
  };
  const head = JSON.stringify({ systemInstruction, tools, toolConfig, generationConfig });
  return [
    head,
    ...contents.flatMap(({ role, parts }) => parts.map((part) => JSON.stringify({ role, part }))),
  ];
}

/** An investigation with `shop`, which has instructions and reorders its tools each time. */
async function start(strategy: string, options: Partial<BenchOptions>) {
  let listings = 0;
  const shop = { instructions: 'Call alpha first.' };
  const server = await startListedServer(
    () => {
      listings++;
      return listings % 2 === 0 ? TOOLS : TOOLS.toReversed();
    },
    () => shop.instructions,
  );
  onTestFinished(() => server.close());
  const prices = [{ from: '2020-01-01', input: 1, cached: 0.1, output: 0 }];
  const { model } = sampleAgent();
  const bench = await opened({
    script: { conversations: [{ turns: TURNS[strategy] ?? [{ text: 'Done.' }] }] },
    inMemory: true,
    servers: { shop: { transport: 'http', url: server.url, keepConnection: false } },
    agent: { strategy, tools: TURNS[strategy] === undefined ? [] : ['shop'], model: { ...model, prices } },
    ...options,
  });
  return { ...bench, shop };
}

describe('a request', () => {
  it.each(Object.keys(TURNS))(
    'is the beginning of the next one, byte for byte, whichever instance asks and whenever: %s',
    async (strategy) => {
      const bench = await start(strategy, {});
      const { deps, sessionId } = bench;
      for (let iteration = 1; iteration <= 4; iteration++) {
        // Another instance, which knows nothing.
        const empty = {
          agentCache: new Map(),
          featureCaches: new Map(),
          conversations: createConversationCache(),
        };
        if (iteration === 3) await addGuidance(sessionId, { text: 'Look at mid.', by: 'ada' }, deps);
        if (iteration === 4) bench.shop.instructions = 'Call mid first.';
        await bench.deliverNext({ ...deps, ...empty });
        deps.clock.advance(61_000);
      }
      const requests = bench.gemini.requests.map(requestParts);
      expect(requests).toHaveLength(4);
      for (const [index, before] of requests.slice(0, -1).entries()) {
        const after = requests[index + 1] ?? [];
        expect(after.length).toBeGreaterThan(before.length);
        expect(after.slice(0, before.length).join('\n')).toBe(before.join('\n'));
      }
      const run = await bench.read(sessionId);
      expect(run.session.finalAnalysis).toBe('Done.');
      expect(requests[0]?.[1]).toMatch(/You begin on [A-Z][a-z]+day, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\./);
      const last = requests.at(-1) ?? [];
      for (const text of ['Call alpha first.', 'Look at mid.', 'changed its instructions'])
        expect(
          last.filter((part) => part.includes(text)),
          text,
        ).toHaveLength(1);
    },
  );

  it.each(STRATEGIES)(
    'is the same bytes when it is made again after a crash, and a day later: %s',
    async (strategy) => {
      const bench = await start(strategy, { deadlineMs: 3 * 86_400_000 });
      const { deps, sessionId } = bench;
      const { clock } = deps;
      // The claim is stored, and where there are instructions they are; the answer is not.
      bench.dieAfterCommits(TURNS[strategy] === undefined ? 1 : 2);
      await bench.deliverNext().catch(() => undefined);
      bench.revive();
      clock.advance(86_400_000);
      await bench.deliverNext();
      const [first = [], second] = bench.gemini.requests.map(requestParts);
      expect(second).toEqual(first);
      const { execution } = await bench.read(sessionId);
      expect(execution.executionId).toBe(EXECUTION);
      expect(first[1]).toContain(execution.createdAt.toISOString().slice(11, 19));
    },
  );
});

it('the cached part of prompts is counted by call, execution and session, and costs its own price', async () => {
  const bench = await start('native-thinking', {});
  await bench.drain();
  const { interactions, execution, session } = await bench.read(bench.sessionId);
  expect(interactions.map(({ tokens }) => tokens?.cached)).toEqual([0, 0, 800, 900]);
  expect(interactions.map(({ costUsd }) => costUsd)).toEqual([0.001, 0.001, 0.00028, 0.00019]);
  for (const { tokens, cost } of [execution, session]) {
    expect(tokens).toMatchObject({ input: 4_000, cached: 1_700 });
    expect(cost.usd).toBeCloseTo(0.00247, 10);
  }
});
