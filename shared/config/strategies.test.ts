import { describe, expect, it } from 'vitest';
import { listFaults, writeFiles } from '../../test/support/ownConfig.ts';
import { resolveChain } from './chains.ts';
import { loadConfig } from './load.ts';

const MODELS = `default: flash
models:
  flash: {provider: google, model: gemini-3.8-flash}
  gpt: {provider: openai, model: gpt-5}
`;

function load(agent: string, stage = 'agents: [a]', models = MODELS) {
  const folder = writeFiles({
    'models.yaml': models,
    'agents.yaml': `agents:\n  a:\n    instructions: Look.\n${agent}  b:\n    strategy: single-call\n    instructions: Look.\n  s:\n    strategy: synthesis\n    instructions: Combine.\n`,
    'chains.yaml': `default: c\nchains:\n  c:\n    stages:\n      - name: look\n        ${stage}\n`,
    'servers.yaml': 'servers:\n  k8s: {transport: http, url: "https://mcp.example.com/mcp"}\n',
  });
  return loadConfig(folder, {});
}
const fault = (...args: Parameters<typeof load>): string =>
  listFaults(() => load(...args)).join('\n') || 'no fault';

describe('a strategy', () => {
  it('that does not exist is a fault with file, line and the ones there are', () => {
    const text = fault('    strategy: native-thinkin\n');
    expect(text).toContain('agents.yaml:4:15');
    expect(text).toContain('synthesis-native-thinking');
  });

  it.each(['synthesis', 'synthesis-native-thinking', 'single-call'])('%s calls no tools', (strategy) => {
    expect(fault(`    strategy: ${strategy}\n    tools: [k8s]\n`)).toContain(
      'agents.yaml:5:5 agents.a.tools',
    );
  });

  it.each(['react', 'synthesis', 'single-call'])('%s has no native tools', (strategy) => {
    const text = fault(`    strategy: ${strategy}\n    nativeTools: [google_search]\n`);
    expect(text).toContain('agents.yaml:5:5 agents.a.nativeTools');
  });

  it('synthesis-native-thinking needs a model of Google', () => {
    const text = fault('    strategy: synthesis-native-thinking\n    model: gpt\n');
    expect(text).toContain('agents.yaml:5:12 agents.a.model');
    expect(text).toContain('Use synthesis');
  });

  it('native-thinking with tools needs a model with function calling', () => {
    const tools = '    strategy: native-thinking\n    model: gpt\n    tools: [k8s]\n';
    expect(fault(tools)).toBe('no fault');
    const text = fault(tools, 'agents: [a]', MODELS.replace('openai', 'perplexity'));
    expect(text).toContain('agents.yaml:5:12 agents.a.model: ');
    expect(text).toContain('Use react, or another model');
  });

  it('with native tools needs a model of Google', () => {
    const text = fault('    model: gpt\n    nativeTools: [google_search]\n');
    expect(text).toContain('agents.yaml:4:12 agents.a.model: nativeTools need models of provider google');
  });

  it.each(['native-thinking', 'react', 'synthesis', 'single-call'])(
    '%s works with any provider',
    (strategy) => {
      const stage = strategy === 'synthesis' ? 'agents: [b]\n        synthesis: a' : 'agents: [a]';
      expect(fault(`    strategy: ${strategy}\n    model: gpt\n`, stage)).toBe('no fault');
    },
  );

  it('with a thinking level needs a provider that takes one', () => {
    const models = MODELS.replace('openai, model: gpt-5', 'anthropic, model: claude, thinkingLevel: low');
    expect(fault('    strategy: react\n    model: gpt\n', 'agents: [a]', models)).toContain('thinkingLevel');
  });

  it('of an unknown provider is a fault', () => {
    expect(fault('', 'agents: [a]', MODELS.replace('openai', 'opnai'))).toContain('did you mean "openai"');
  });
});

describe('a fallback', () => {
  const GPT = 'gpt: {provider: openai, model: gpt-5}';
  const withModel = (line: string) => MODELS.replace(GPT, line);

  it('is the models that it names, in order, with their settings', () => {
    const models = `${MODELS}  pro: {provider: google, model: gemini-3.8-pro, maxOutputTokens: 900}\n`;
    const config = load('    fallback: [gpt, pro]\n', 'agents: [a, b]', models);
    const [stage] = resolveChain(config).stages;
    expect(stage?.agents[0]).toMatchObject({
      model: { model: 'gemini-3.8-flash' },
      fallback: [
        { provider: 'openai', model: 'gpt-5' },
        { provider: 'google', model: 'gemini-3.8-pro', maxOutputTokens: 900 },
      ],
    });
    expect([stage?.agents[1]?.fallback, stage?.synthesis?.fallback]).toEqual([[], []]);
  });

  it.each<[string, string, string?]>([
    ['unknown model "gtp"; expected one of flash, gpt', '    fallback: [gtp]\n'],
    [`model "flash" is the agent's own model; name a different model`, '    fallback: [flash]\n'],
    ['must hold at most 5', '    fallback: [gpt, gpt, gpt, gpt, gpt, gpt]\n'],
    [
      'strategy synthesis-native-thinking needs a model of provider google',
      '    fallback: [gpt]\n    strategy: synthesis-native-thinking\n',
    ],
    ['nativeTools need models of provider google', '    fallback: [gpt]\n    nativeTools: [url_context]\n'],
    [
      'Use react, or another model',
      '    fallback: [gpt]\n    tools: [k8s]\n',
      withModel('gpt: {provider: perplexity, model: sonar}'),
    ],
    [
      'sets thinkingLevel',
      '    fallback: [gpt]\n',
      withModel('gpt: {provider: anthropic, model: claude, thinkingLevel: low}'),
    ],
    [
      'cannot combine native tools with function tools',
      '    fallback: [gpt]\n    nativeTools: [url_context]\n    combineNativeTools: true\n',
      withModel('gpt: {provider: google, model: gemini-2.5-pro}'),
    ],
  ])('with a fault names file and line: %s', (message, agent, models = MODELS) => {
    const text = fault(agent, 'agents: [a]', models);
    expect(text).toMatch(/agents\.yaml:4:\d+ agents\.a\.fallback/);
    expect(text).toContain(message);
  });

  it('names no model twice', () => {
    expect(fault('    fallback: [gpt, gpt]\n')).toContain(
      'agents.yaml:4:21 agents.a.fallback[1]: gpt is already in this list',
    );
  });
});

describe('a stage of several agents', () => {
  it('is combined by the agent it names', () => {
    const [stage] = resolveChain(load('', 'agents: [a, b]\n        synthesis: s')).stages;
    expect(stage?.synthesis).toMatchObject({ name: 's', strategy: 'synthesis', instructions: 'Combine.' });
  });

  it('is combined by a built-in agent when it names none, on the default model', () => {
    const [stage] = resolveChain(load('', 'agents: [a, b]')).stages;
    expect(stage?.synthesis).toMatchObject({
      name: 'synthesizer',
      strategy: 'synthesis-native-thinking',
      model: { model: 'gemini-3.8-flash' },
    });
  });

  it('is combined through LangChain when the default model is of another provider', () => {
    const models = MODELS.replace('default: flash', 'default: gpt');
    const config = load('    strategy: react\n', 'agents: [a, b]', models);
    expect(resolveChain(config).stages[0]?.synthesis?.strategy).toBe('synthesis');
  });

  it('cannot be combined by one of its own agents', () => {
    expect(fault('', 'agents: [a, b]\n        synthesis: b')).toContain('cannot be one of its agents');
  });

  it('cannot be combined by an agent of another strategy', () => {
    expect(fault('', 'agents: [a]\n        synthesis: b')).toContain('chains.yaml:7:20');
  });

  it('has no agent that has nothing to combine', () => {
    expect(fault('', 'agents: [a, s]')).toContain('chains.yaml:6:21');
  });
});

it('a single agent needs no synthesis', () => {
  expect(resolveChain(load('')).stages[0]?.synthesis).toBeNull();
});
