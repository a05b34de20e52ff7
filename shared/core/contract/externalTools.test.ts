import { describe, expect, it } from 'vitest';
import { leastExternal } from './externalTools.ts';
import { boundNativeTools } from './modelFacts.ts';

describe('of the tools of an agent', () => {
  it.each([
    ['the private ones are offered', [undefined, 'hinted', 'outside'], undefined],
    ['those that are only hinted are offered without private ones', ['outside', 'hinted'], 'hinted'],
    ['those that reach outside are offered where there are no others', ['outside', 'outside'], 'outside'],
  ] as const)('%s', (_, reaches, offered) => {
    expect(leastExternal(reaches)).toBe(offered);
  });
});

describe('native tools that reach outside', () => {
  const agent = {
    tools: ['k8s'],
    nativeTools: ['google_search' as const, 'code_execution' as const, 'url_context' as const],
    combineNativeTools: true,
    outsideTools: 'apart' as const,
  };
  const tool = { name: 'k8s.logs', description: '', inputSchema: {}, readOnly: true };
  const outside = { ...tool, external: 'outside' as const };

  it('are not bound beside private tools; code runs without a network', () => {
    expect(boundNativeTools(agent, [tool])).toEqual(['code_execution']);
    expect(boundNativeTools(agent, [outside, tool])).toEqual(['code_execution']);
    expect(boundNativeTools(agent, [{ ...tool, external: 'hinted' }])).toEqual(['code_execution']);
  });

  it('are not bound either while no tool of the agent can be reached: it could have read private data', () => {
    expect(boundNativeTools(agent, [])).toEqual(['code_execution']);
  });

  it('are bound as without it beside the ledger, which reads nothing', () => {
    const ledger = { ...tool, name: 'ledger', neutral: true as const };
    expect(boundNativeTools(agent, [outside, ledger])).toEqual(agent.nativeTools);
    expect(boundNativeTools(agent, [ledger])).toEqual(['code_execution']);
  });

  it('are bound beside tools that reach outside, for agents without tools, and where both are wanted together', () => {
    expect(boundNativeTools(agent, [outside])).toEqual(agent.nativeTools);
    expect(boundNativeTools({ ...agent, tools: [] }, [])).toEqual(agent.nativeTools);
    expect(boundNativeTools({ ...agent, outsideTools: 'together' }, [tool])).toEqual(agent.nativeTools);
  });
});
