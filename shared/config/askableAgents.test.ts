import { describe, expect, it } from 'vitest';
import { writeFiles } from '../../test/support/ownConfig.ts';
import { loadConfig } from './load.ts';

/** The configuration with these lines of the agent `lead`, which the chain runs, and of `other`. */
function load(lead: string, other = 'tools: [k8s]') {
  const folder = writeFiles({
    'models.yaml': 'default: flash\nmodels:\n  flash: {provider: google, model: gemini-3.8-flash}\n',
    'agents.yaml': `agents:\n  lead:\n    instructions: Lead.\n    ${lead}\n  other:\n    description: Looks\n    instructions: Look.\n    ${other}\n  combiner: {instructions: Combine., strategy: synthesis}\n`,
    'chains.yaml': 'default: c\nchains:\n  c:\n    stages:\n      - name: look\n        agents: [lead]\n',
    'servers.yaml':
      'servers:\n  k8s: {transport: http, url: "https://k8s.example/mcp"}\n  web: {transport: http, url: "https://web.example/mcp", reaches: outside}\n',
    'system.yaml': 'serviceTier: flex\n',
  });
  return loadConfig(folder, {});
}

it('an agent that can ask others carries their names and purposes, and every agent can be asked with its own limits', () => {
  const { chains, askable } = load('tools: [ask_agent]\n    asks: [other]', 'maxIterations: 7');
  expect(chains.c?.stages[0]?.agents[0]).toMatchObject({
    tools: ['ask_agent'],
    asks: [{ name: 'other', description: 'Looks' }],
  });
  expect(askable.other).toMatchObject({ name: 'other', limits: { maxIterations: 7 } });
  expect(askable.other?.limits.sessionTokens).toBeUndefined();
  // The tier of the system would replace that of the chain, which the asking agent has.
  expect(askable.other?.tiers).toBeUndefined();
  expect(chains.c?.stages[0]?.agents[0]?.tiers).toEqual({ any: 'flex' });
});

it('an agent that no file defines can be in the store: a remark names it', () => {
  const { agents } = load('tools: [ask_agent]\n    asks: [othr]');
  expect(agents?.remarks.join()).toMatch(/asks\[0\]: no file defines the agent "othr".*did you mean "other"/);
});

describe('agents that ask', () => {
  it.each([
    ['tools: [ask_agent]', undefined, 'ask_agent needs to know whom; add asks: with names of agents'],
    ['asks: [other]', undefined, 'has no effect without the tool; add ask_agent to tools, or remove this'],
    ['tools: [ask_agent]\n    asks: [lead]', undefined, 'an agent cannot ask itself; remove it'],
    [
      'tools: [ask_agent]\n    asks: [combiner]',
      undefined,
      'agent "combiner" combines the results of a stage',
    ],
    ['tools: [ask_agent]\n    asks: [other, other]', undefined, 'other is already in this list'],
    ['tools: [ask_agent]\n    asks: [other]\n    strategy: single-call', undefined, 'calls no tools'],
    [
      'tools: [ask_agent, k8s]\n    asks: [other]',
      'tools: [web]',
      'lets results of private tools leave in a question',
    ],
    [
      'tools: [ask_agent, k8s]\n    asks: [other]',
      'nativeTools: [google_search]',
      'set outsideTools: together',
    ],
    [
      'tools: [ask_agent]\n    asks: [other]\n    nativeTools: [google_search]',
      undefined,
      'google_search reaches outside, but ask_agent is private',
    ],
  ])('%s is refused', (lead, other, message) => {
    expect(() => load(lead, other)).toThrow(message);
  });

  it('can mix private tools and ones that reach outside when they declare it', () => {
    const lead = 'tools: [ask_agent, k8s]\n    asks: [other]\n    outsideTools: together';
    expect(load(lead, 'tools: [web]').askable.lead?.asks).toHaveLength(1);
  });
});
