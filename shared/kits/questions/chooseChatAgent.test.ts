import { expect, it } from 'vitest';
import { sampleAgent } from '../../../test/support/samples.ts';
import { chooseChatAgent } from './chooseChatAgent.ts';

type Choice = Parameters<typeof chooseChatAgent>[1];
const NONE = { agent: null, model: null, structuredOutput: null };
const STORED = { name: 'stored', yaml: 'description: You answer.' };

/** The plan that agents of files and a stored one are asked for; undefined without a plan. */
function choose(choice: Partial<Choice>, { chain = 'default', agents = ['logs', 'lead'] } = {}) {
  const chat = (...plan: unknown[]) => plan as never;
  const chains = { default: { chat: sampleAgent({ name: 'lead-2', replicaOf: 'lead' }) } } as never;
  const catalog = agents.length === 0 ? {} : { agents: { names: agents, chat } as never };
  const config = { ...catalog, chains };
  const get = async (name: string) => (name === STORED.name ? STORED : undefined);
  return chooseChatAgent(chain, { ...NONE, ...choice }, config, { storedAgents: { get } as never });
}
const request = (agent?: string, model?: string, structuredOutput: boolean | null = null) => ({
  agent,
  model,
  structuredOutput,
});

it.each<[string, Partial<Choice>, object | undefined]>([
  ['nothing', {}, undefined],
  ['an agent of a file', { agent: 'logs' }, ['default', request('logs'), undefined]],
  ['a stored agent', { agent: 'stored' }, ['default', request('stored'), STORED]],
  ['a model, for the agent of the chain', { model: 'pro' }, ['default', request('lead', 'pro'), undefined]],
  ['text', { structuredOutput: false }, ['default', request('lead', undefined, false), undefined]],
  [
    'a model, for the agent of the session',
    { model: 'pro', current: sampleAgent({ name: 'logs' }) },
    ['default', request('logs', 'pro'), undefined],
  ],
  [
    'a model, for a built-in agent, which no file defines',
    { model: 'pro', current: sampleAgent({ name: 'chat' }) },
    ['default', request(undefined, 'pro'), undefined],
  ],
  [
    'a model, for a stored agent of the session',
    { model: 'pro', current: sampleAgent({ name: 'stored' }) },
    ['default', request('stored', 'pro'), STORED],
  ],
])('a request that selects %s', async (_, choice, plan) => {
  expect(await choose(choice)).toEqual(plan);
});

it('a request in another chain has no agent of its own', async () => {
  const choice = { structuredOutput: true };
  for (const chain of ['none', 'toString'])
    expect(await choose(choice, { chain })).toEqual([chain, request(undefined, undefined, true), undefined]);
});

it('without agents only the form of an answer can be selected', async () => {
  expect(await choose({ structuredOutput: true }, { agents: [] })).toBeUndefined();
  for (const choice of [{ agent: 'logs' }, { model: 'pro' }])
    await expect(choose(choice, { agents: [] })).rejects.toMatchObject({ code: 'CONFIG_UNKNOWN_AGENT' });
});
