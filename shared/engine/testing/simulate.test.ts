import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { projectFile } from '../../projectFiles.ts';
import { durable, gemini, mcp, RetryableError, type ToolOptions, tool, z } from '../engine.ts';
import type { SimulateOptions, SimulationError } from './simulate.ts';
import * as testing from './testing.ts';

const { inProcess, memory, script, simulate } = testing;

const folder = mkdtempSync(join(tmpdir(), 'inquest-simulate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SEEDS = 16;
const order = z.object({ order: z.string(), cents: z.int().positive() });
const called = () => {
  throw new Error('a simulation calls no tool');
};

/** An agent with a tool, which would fail if it ran. */
function open(options: Partial<ToolOptions<typeof order>> = {}, model = gemini('gemini-3.8-flash')) {
  const agents = durable({ store: memory(), queue: inProcess(), model });
  onTestFinished(() => agents.close());
  const refund = tool({ name: 'refund', version: '1', input: order, run: called, ...options });
  const agent = agents.agent({ name: 'support', instructions: 'Refund what came broken.', tools: [refund] });
  return { agents, agent };
}

/** The error of a simulation that finds a broken rule. */
async function findFailure(agents: ReturnType<typeof durable>, options: SimulateOptions) {
  const error = await simulate(agents, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ name: 'SimulationError' });
  return error as SimulationError;
}

it('exports these names', () => {
  expect(Object.keys(testing).sort()).toEqual(['inProcess', 'memory', 'script', 'simulate']);
});

describe('a simulation', () => {
  it('ends all runs, with each effect once or reported as unknown', async () => {
    const { agents } = open({ changes: true, approval: 'required' });
    const seen: object[] = [];
    const { runs, effects, crashes, faults, seeds } = await simulate(agents, {
      seeds: SEEDS,
      tools: { refund: ({ cents }: { cents: number }) => ({ refunded: cents }) },
      onProgress: (progress) => seen.push(progress),
    });
    expect([seeds, runs.started, runs.unfinished]).toEqual([SEEDS, SEEDS, 0]);
    expect(effects).toMatchObject({ doubled: 0, lost: 0 });
    expect(Math.min(effects.once, effects.unknown, crashes)).toBeGreaterThan(5);
    for (const fault of ['commit_failed', 'commit_answer_lost', 'document_rewritten', 'message_duplicated'])
      expect(faults).toHaveProperty(fault);
    expect(seen).toHaveLength(SEEDS);
    expect(seen.at(-1)).toEqual({ seed: SEEDS, total: SEEDS, seeds: SEEDS, crashes });
  });

  it('offers each agent its tools', async () => {
    const { agents } = open();
    const pay = tool({ name: 'pay', version: '1', input: order, run: called });
    agents.agent({ name: 'billing', instructions: 'Pay.', tools: [pay] });
    let paid = 0;
    await simulate(agents, { seeds: 5, tools: { refund: () => 1, pay: () => ++paid } });
    expect(paid).toBeGreaterThan(0);
  });

  it('holds for the scripts of the examples', async () => {
    const add = tool({
      name: 'add',
      version: '1',
      input: z.object({ a: z.number(), b: z.number() }),
      run: called,
    });
    const hello = durable({
      store: memory(),
      queue: inProcess(),
      model: script(projectFile('examples/engine/hello.yaml')),
    });
    hello.agent({ name: 'calculator', instructions: 'You calculate.', tools: [add] });
    onTestFinished(() => hello.close());
    const sums: number[] = [];
    const tools = { add: ({ a, b }: { a: number; b: number }) => sums.push(a + b) };
    expect(await simulate(hello, { seeds: 15, tools })).toMatchObject({ seeds: 15, failure: null });
    expect(new Set(sums)).toEqual(new Set([42]));
    const model = script(projectFile('examples/engine/support/support.yaml'));
    const { agents } = open({ changes: true, approval: 'required' }, model);
    const { effects } = await simulate(agents, { seeds: 15 });
    expect(effects.once).toBeGreaterThan(0);
  });

  it('finds a tool with an effect that is declared read-only, and tells the same story again', async () => {
    const { agents } = open();
    const tools: SimulateOptions['tools'] = {
      refund(_, { effect }) {
        effect();
      },
    };
    const { message, simulation } = await findFailure(agents, { seeds: 100, tools });
    const { seed, broken, story } = simulation.failure;
    expect(message).toContain(`seed ${seed} breaks a rule: refund (r1/01-support/`);
    expect(broken[0]).toMatch(/^refund \(r1\/01-support\/\d+\/\d+\) had its effect [2-9] times$/);
    expect(simulation).toMatchObject({ seeds: seed, effects: { doubled: 1 } });
    expect(story.filter((line) => line.includes('refund has an effect')).length).toBeGreaterThan(1);
    const again = await findFailure(agents, { seeds: [seed], tools });
    expect(again.simulation.failure).toEqual(simulation.failure);
  });

  it('finds an error that states wrongly that nothing happened', async () => {
    const { agents } = open({ changes: true });
    const refund = () => {
      throw new RetryableError('SOURCE_UNAVAILABLE', 'the connection was lost');
    };
    const { simulation } = await findFailure(agents, { seeds: 5, tools: { refund } });
    expect(simulation.failure.broken[0]).toMatch(/had its effect, and is reported as not executed$/);
    expect(simulation.effects.lost).toBeGreaterThan(0);
  });

  it('offers tools in code in place of those of an MCP server', async () => {
    const agents = durable({ store: memory(), queue: inProcess(), model: gemini('gemini-3.8-flash') });
    onTestFinished(() => agents.close());
    const shop = mcp('https://shop.example.com/mcp', { name: 'shop' });
    agents.agent({ name: 'one', instructions: 'Refund.', tools: [shop] });
    const refund = tool({ name: 'refund', version: '1', input: order, changes: true, run: () => 'done' });
    const { effects } = await simulate(agents, { seeds: 5, servers: { shop: [refund] } });
    expect(effects.once).toBeGreaterThan(0);
  });

  it('starts no seed after its time or an abort', async () => {
    const { agents } = open();
    expect(await simulate(agents, { seeds: 3, limitMs: 0 })).toMatchObject({ seeds: 0 });
    const stop = new AbortController();
    const ended = simulate(agents, {
      seeds: 1_000,
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('enough')),
    });
    await expect(ended).rejects.toThrow('enough');
  });

  it('ends with an error if a replacement does not answer', async () => {
    const { agents } = open();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const refund = () => {
      void Promise.resolve().then(() => vi.advanceTimersByTime(10_000));
      return new Promise(() => {});
    };
    await expect(simulate(agents, { seeds: 20, tools: { refund } })).rejects.toThrow(
      'the replacement of refund has not answered within 10 s; it must answer at once',
    );
  });

  it.each<[string, (parts: ReturnType<typeof open>) => Partial<SimulateOptions>, string]>([
    ['no seeds', () => ({ seeds: 0 }), 'seeds: must be a whole number above 0, or a list of them'],
    ['a tool of no agent', () => ({ tools: { pay: called } }), 'no agent of the runs has pay; known: refund'],
    ['a real model', () => ({ model: gemini('gemini-3.8-flash') }), 'model: must be script(file)'],
    [
      'an agent of another engine',
      () => ({ runs: [{ agent: open().agent }] }),
      'runs: agent support is not of this engine',
    ],
    [
      'an option of a run that is refused',
      ({ agent }) => ({ runs: [{ agent, deadlineMs: -1 }] }),
      'deadlineMs: must be above 0',
    ],
  ])('refuses %s', async (_, choose, fault) => {
    const parts = open();
    await expect(simulate(parts.agents, { seeds: 1, ...choose(parts) })).rejects.toThrow(fault);
  });

  it('starts the runs that are named, with the script that is given', async () => {
    const file = join(folder, 'script.json');
    const refund = { name: 'code.refund', args: { order: '17', cents: 5 } };
    const turns = [{ toolCalls: [refund] }, { text: 'Refunded.' }];
    writeFileSync(file, JSON.stringify({ conversations: [{ turns }] }));
    const { agents, agent } = open({ changes: true });
    const inputs: unknown[] = [];
    const { runs } = await simulate(agents, {
      seeds: [3, 5],
      model: script(file),
      runs: [{ agent, input: 'Order 17 came broken.' }, { agent }],
      tools: { refund: (input) => inputs.push(input) },
    });
    expect(runs.started).toBe(4);
    expect(inputs[0]).toEqual({ order: '17', cents: 5 });
  });
});
