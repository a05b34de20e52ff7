import { describe, expect, it } from 'vitest';
import { call, callTool, collect, done, open, read, readMessages, writeScripts } from './engine.fixture.ts';
import {
  type Agent,
  type AgentOptions,
  type Agents,
  gemini,
  langchain,
  mcp,
  memory,
  type Skill,
  type StageOptions,
  tool,
  z,
} from './engine.ts';

const scripted = writeScripts();

it('a model of LangChain is named with its provider, whatever slashes follow', () => {
  expect(langchain('openrouter/meta/llama').settings).toMatchObject({
    provider: 'openrouter',
    model: 'meta/llama',
  });
});

describe('an agent that another one asks', () => {
  it('reads the task and the question, which name no alert, and its answer is the result of the call', async () => {
    const store = memory();
    const agents = open({ store });
    const expert = agents.agent({
      name: 'expert',
      description: 'Knows orders.',
      instructions: 'Look it up.',
      model: scripted({ text: 'It is lost.' }),
    });
    const ask = callTool('ask_agent', { agent_name: 'expert', input_text: 'Where is 17?' });
    const support = agents.agent({
      name: 'support',
      instructions: 'Help.',
      asks: [expert],
      model: scripted(ask, done),
    });
    const { id } = await agents.start(support, { input: 'Order 17 is late.' });
    expect(await agents.result(id)).toMatchObject({ status: 'completed', text: 'Done.' });
    const [system = '', first = '', ...others] = await readMessages(store, id, '01-support~1');
    expect(system).toContain('You are expert.');
    expect(first).toContain(
      'The task of another agent, which asks you and gets your answer:\\nOrder 17 is late.',
    );
    expect(first).toContain('Where is 17?');
    expect([system, first].join()).not.toMatch(/alert|investigat|on call/);
    expect(others).toHaveLength(1);
    const asking = await readMessages(store, id, '01-support');
    expect(asking.at(-2)).toContain('It is lost.');
  });
});

describe('skills of an agent', () => {
  const refunds: Skill = {
    name: 'refunds',
    description: 'How refunds are made.',
    text: 'Ask first.',
    allowedTools: ['code.look'],
  };

  it('are loaded on demand, and take tools away as they state', async () => {
    const agents = open();
    const agent = agents.agent({
      name: 'support',
      instructions: 'Help.',
      model: scripted(callTool('load_skill', { name: 'refunds' }), call('pay'), call('look'), done),
      tools: [readOnly('look', () => 'seen'), readOnly('pay', () => 'paid')],
      skills: [refunds],
    });
    const run = await agents.start(agent, { input: 'Order 17.' });
    const results = read(await collect(agents.events(run))).filter((line) => line.startsWith('tool_result'));
    expect(results[0]).toContain('Ask first.');
    expect(results[1]).toContain('refunds');
    expect(results[1]).not.toContain('paid');
    expect(results[2]).toBe('tool_result: seen');
  });

  it('have one name each', () => {
    const agents = open({ model: scripted(done) });
    const options = { instructions: 'Help.', skills: [refunds] };
    agents.agent({ name: 'one', ...options });
    agents.agent({ name: 'two', ...options });
    const other = () => agents.agent({ name: 'three', ...options, skills: [{ ...refunds }] });
    expect(other).toThrow('agent three: skills: two skills have the name refunds; rename one of them');
  });
});

describe('collected calls of a stage', () => {
  it('run before the first answer of each agent that has the tool', async () => {
    const agents = open({ model: scripted(done) });
    const orders = readOnly('orders', ({ n }) => `order ${n} is late`);
    const one = agents.agent({ name: 'one', instructions: 'Work.', tools: [orders] });
    const two = agents.agent({ name: 'two', instructions: 'Work.' });
    const collected = [{ tool: orders, arguments: { n: 17 } }];
    const chain = agents.chain({
      name: 'team',
      stages: [{ name: 'work', agents: [one, two], collect: collected }],
    });
    const run = await agents.start(chain, { input: 'Go.' });
    const events = await collect(agents.events(run));
    expect(read(events.filter(({ executionId }) => executionId === '01-one'))).toEqual([
      'mcp_tool_call: code.orders(n: 17)',
      'tool_result: order 17 is late',
      'final_analysis: Done.',
    ]);
    expect(read(events.filter(({ executionId }) => executionId === '01-two'))).toEqual([
      'final_analysis: Done.',
    ]);
  });
});

describe('the summary of a run', () => {
  const summaryModel = scripted({ text: 'All is well.' });

  it('follows the answer, which keeps its form', async () => {
    const agents = open({ model: scripted({ text: '{"sum": 42}' }) });
    const answer = z.object({ sum: z.number() });
    const adder = agents.agent({ name: 'adder', instructions: 'Add.', answer, summaryModel });
    const chain = agents.chain({
      name: 'team',
      stages: [{ name: 'add', agents: [adder] }],
      answer,
      summaryModel,
    });
    for (const one of [adder, chain]) {
      const result = await agents.result(await agents.start(one, { input: '40 + 2' }));
      expect(result).toMatchObject({ status: 'completed', answer: { sum: 42 }, summary: 'All is well.' });
    }
  });

  it('has the token budget of its run', () => {
    const agents = open({ model: scripted(done) });
    const options = { name: 'one', instructions: 'Work.', summaryModel, sessionTokens: 5_000 };
    expect(agents.agent(options).chain.summary?.limits).toMatchObject({ sessionTokens: 5_000 });
  });

  it('is not made unless a model is set for it', async () => {
    const agents = open({ model: scripted(done) });
    const run = await agents.start(agents.agent({ name: 'one', instructions: 'Work.' }), { input: 'Go.' });
    expect((await agents.result(run)).summary).toBeNull();
  });
});

describe('a stage', () => {
  const fallback = scripted({ text: 'Fallback.' });
  const broken = { settings: { ...fallback.settings, model: '/nowhere.json' } };

  it('runs an agent on each of its models and replicas, with the tools and limits that it sets', async () => {
    const agents = open({ model: scripted(done) });
    const look = readOnly('look', () => 'seen');
    const one = agents.agent({
      name: 'one',
      instructions: 'Work.',
      tools: [look, readOnly('pay', () => 'paid')],
      toolTimeoutMs: 1_000,
    });
    const models = [scripted({ text: 'A.' }), scripted({ text: 'B.' })];
    const { chain } = agents.chain({
      name: 'team',
      maxIterations: 9,
      toolTimeoutMs: 2_000,
      sessionTokens: 'off',
      stages: [
        {
          name: 'work',
          agents: [{ agent: one, model: models, replicas: 2, maxIterations: 3 }],
          tools: [look],
        },
      ],
    });
    const planned = chain.stages[0]?.agents ?? [];
    expect(planned.map(({ name, replicaOf, model }) => [name, replicaOf, model])).toEqual([
      ['one-1', 'one', models[0]?.settings],
      ['one-2', 'one', models[0]?.settings],
      ['one-3', 'one', models[1]?.settings],
      ['one-4', 'one', models[1]?.settings],
    ]);
    for (const { tools, limits } of planned) {
      expect(tools).toEqual(['code.look']);
      expect(limits).toMatchObject({ maxIterations: 3, toolTimeoutMs: 1_000 });
      expect(limits.sessionTokens).toBeUndefined();
    }
  });

  it('replaces a model that fails by the fallback model that it sets', async () => {
    const agents = open();
    const one = agents.agent({ name: 'one', instructions: 'Work.', model: broken });
    const stages = [{ name: 'work', agents: [{ agent: one, fallback: [fallback] }] }];
    const run = await agents.start(agents.chain({ name: 'team', stages }), { input: 'Go.' });
    expect(await agents.result(run)).toMatchObject({ status: 'completed', text: 'Fallback.' });
  });
});

const own = scripted(done);
const agent = (options: Partial<AgentOptions>) => (agents: Agents) =>
  agents.agent({ name: 'one', instructions: 'Work.', model: own, ...options });
const stage = (plan: (one: Agent) => Omit<StageOptions, 'name'>) => (agents: Agents) =>
  agents.chain({ name: 'team', stages: [{ name: 'work', ...plan(agent({})(agents)) }] });
/** A tool that only reads. */
const readOnly = (name: string, run: (input: { n?: number | undefined }) => unknown) =>
  tool({ name, version: '1', input: z.object({ n: z.number().optional() }), run });

it.each<[string, (agents: Agents, foreign: Agents) => unknown, string]>([
  [
    'no model',
    (agents) => agents.agent({ name: 'one', instructions: 'Work.' }),
    'agent one: model: is missing; set it here or in durable()',
  ],
  [
    'an agent of another engine',
    (agents, foreign) => {
      const agent = foreign.agent({ name: 'far', instructions: 'Work.', model: scripted(done) });
      return agents.chain({ name: 'team', stages: [{ name: 'work', agents: [agent] }] });
    },
    'chain team: stages: agent far is not of this engine; register it with this one',
  ],
  ['an agent without instructions', agent({ instructions: ' ' }), 'agent one: instructions: is empty'],
  [
    'an unknown strategy',
    agent({ strategy: 'reakt' }),
    'agent one: strategy: unknown strategy; expected one of react, native-thinking',
  ],
  [
    'tools that the strategy does not call',
    agent({ strategy: 'single-call', tools: [readOnly('look', () => 1)] }),
    'agent one: tools: strategy single-call calls no tools; remove this, or use react or native-thinking',
  ],
  [
    'native tools of a model without them',
    agent({ nativeTools: ['google_search'], model: langchain('openai/gpt-5') }),
    'agent one: model: nativeTools need models of provider google; "gpt-5" is of openai',
  ],
  [
    'private tools beside outside ones',
    agent({
      nativeTools: ['google_search'],
      tools: [readOnly('look', () => 1)],
      model: gemini('gemini-3.8-flash'),
    }),
    'agent one: nativeTools.0: google_search reaches outside, but code.look is private',
  ],
  [
    'its own model as fallback',
    agent({ fallback: [own], model: own }),
    "agent one: fallback: has the agent's own model; name a different model, or remove it",
  ],
  [
    'a limit above that of a function',
    agent({ iterationTimeoutMs: 600_000 }),
    'agent one: iterationTimeoutMs: is 600000; set at most 480000',
  ],
  ['a name that is none', agent({ name: '1 a' }), 'agent 1 a: '],
  [
    'instructions that fill the document of a run',
    agent({ instructions: 'x'.repeat(200_001) }),
    'at most 200000 fit a session; shorten the instructions',
  ],
  [
    'an answer that no model can give',
    agent({ answer: z.date() }),
    'agent one: answer: cannot be described to a model: ',
  ],
  [
    'a skill without a text',
    agent({ skills: [{ name: 'refunds', description: 'Refunds.', text: ' ' }] }),
    'agent one: skills.0: text: is empty; write the instructions',
  ],
  [
    'a server that reaches outside beside private tools',
    agent({
      tools: [mcp('https://docs.example', { name: 'docs', reaches: 'outside' }), readOnly('look', () => 1)],
    }),
    'agent one: tools.0: docs reaches outside, but code.look is private',
  ],
  [
    'native tools of a fallback model without them',
    agent({
      nativeTools: ['google_search'],
      model: gemini('gemini-3.8-flash'),
      fallback: [langchain('openai/gpt-5')],
    }),
    'agent one: fallback.0: nativeTools need models of provider google; "gpt-5" is of openai',
  ],
  [
    'skills beside native tools that it does not combine',
    agent({
      nativeTools: ['google_search'],
      model: gemini('gemini-3.8-flash'),
      skills: [{ name: 'refunds', description: 'Refunds.', text: 'Look.' }],
    }),
    'agent one: skills: takes the native tools away',
  ],
  [
    'nothing to combine',
    agent({ combineNativeTools: true }),
    'agent one: combineNativeTools: there is nothing to combine: list nativeTools, or remove this',
  ],
  [
    'native tools that its model does not combine',
    agent({
      nativeTools: ['google_search'],
      combineNativeTools: true,
      model: gemini('gemini-2.5-flash'),
    }),
    'agent one: combineNativeTools: ',
  ],
  [
    'an agent to ask that combines results',
    (agents) => agent({ asks: [agent({ name: 'both', strategy: 'synthesis' })(agents)] })(agents),
    'agent one: asks.0: ',
  ],
  [
    'an agent in a stage that combines results',
    (agents) =>
      agents.chain({
        name: 'team',
        stages: [{ name: 'work', agents: [agent({ strategy: 'synthesis' })(agents)] }],
      }),
    'chain team: stages.0.agents.0: agent "one" combines',
  ],
  [
    'no replica',
    stage((one) => ({ agents: [{ agent: one, replicas: 0 }] })),
    'chain team: stages.0.agents.0.replicas: must be a whole number above 0',
  ],
  [
    'a collected call that changes something',
    (agents) => {
      const refund = tool({ name: 'refund', version: '1', input: z.object({}), changes: true, run: () => 1 });
      const one = agent({ tools: [refund] })(agents);
      return agents.chain({
        name: 'team',
        stages: [{ name: 'work', agents: [one], collect: [{ tool: refund }] }],
      });
    },
    'chain team: stages.0.collect.0: code.refund changes something, and only read-only tools are called',
  ],
  [
    'the form of one answer where there are several',
    (agents) => {
      const both = [agent({})(agents), agent({ name: 'two' })(agents)];
      return agents.chain({ name: 'team', stages: [{ name: 'work', agents: both }], answer: z.object({}) });
    },
    'chain team: answer: the last stage has several results; add a synthesis to it',
  ],
  [
    'half a replica',
    stage((one) => ({ agents: [{ agent: one, replicas: 0.5 }] })),
    'chain team: stages.0.agents.0.replicas: must be a whole number above 0',
  ],
  [
    'a server with the name of the tools in code',
    () => mcp('https://docs.example', { name: 'code' }),
    'mcp: "code" is a source of the engine; set another name',
  ],
  ['a model without provider', () => langchain('gpt-5'), 'langchain: "gpt-5" must be PROVIDER/MODEL'],
  [
    'an agent twice in a stage',
    stage((one) => ({ agents: [one, one] })),
    'chain team: stages.0.agents.1: agent "one" is already',
  ],
  [
    'a synthesis that combines nothing',
    stage((one) => ({ agents: [one], synthesis: one })),
    'chain team: stages.0.synthesis: agent "one" does not combine results; give it the strategy synthesis or',
  ],
  [
    'too many runs',
    stage((one) => ({ agents: [{ agent: one, replicas: 21 }] })),
    'chain team: stages.0.agents: has 21 runs with all models and replicas; at most 20 fit a stage',
  ],
  [
    'a collected call that no agent makes',
    stage((one) => ({ agents: [one], collect: [{ tool: 'docs.list' }] })),
    'chain team: stages.0.collect.0: no agent of this stage has docs.list; give it to one, or remove this call',
  ],
  [
    'the form of an answer that no agent gives',
    (agents) =>
      agents.chain({
        name: 'team',
        stages: [{ name: 'work', agents: [agent({})(agents)] }],
        answer: z.object({}),
      }),
    'chain team: answer: agent one of the last stage has no answer; set it there',
  ],
])('refuses %s', (_, register, fault) => {
  expect(() => register(open(), open())).toThrow(fault);
});
