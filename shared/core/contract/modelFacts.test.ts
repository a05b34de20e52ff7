import { describe, expect, it } from 'vitest';
import {
  bindsTools,
  boundNativeTools,
  canCombine,
  isNative,
  outputLimit,
  PROVIDERS,
  takesTemperature,
  takesThinkingLevel,
} from './modelFacts.ts';

const logs = { name: 'k8s.logs', description: '', inputSchema: {}, readOnly: true };

it.each([
  ['gemini-1.5-pro', 8_192],
  ['gemini-2.0-flash', 8_192],
  ['models/gemini-2.5-pro', 65_536],
  ['gpt-3.5-turbo', 8_192],
  ['gpt-4-turbo', 8_192],
  ['gpt-4o-mini', 16_384],
  ['gpt-4.1-mini', 32_768],
  ['gpt-5', 128_000],
  ['o3', 128_000],
  ['claude-3-opus', 8_192],
  ['claude-3-5-sonnet', 8_192],
  ['claude-3-7-sonnet', 64_000],
  ['claude-opus-4-1', 32_000],
  ['anthropic.claude-sonnet-4', 64_000],
  ['unheard-of', 65_536],
])('the largest answer of %s has %i tokens, unless another limit is configured', (model, tokens) => {
  expect(outputLimit({ model })).toBe(tokens);
  expect(outputLimit({ model, maxOutputTokens: 900 })).toBe(900);
});

describe('the native tools of an agent', () => {
  const agent = (combineNativeTools: boolean) => ({
    tools: ['k8s'],
    nativeTools: ['google_search' as const],
    combineNativeTools,
    outsideTools: 'together' as const,
  });

  it.each([
    ['are bound where there are no function tools', false, [], ['google_search']],
    ['are left out beside function tools', false, [logs], []],
    ['stand beside function tools where the agent combines them', true, [logs], ['google_search']],
  ])('%s', (_, combine, tools, expected) => {
    expect(boundNativeTools(agent(combine), tools)).toEqual(expected);
  });

  it('that reach outside are left out beside internal ones', () => {
    const nativeTools = ['google_search' as const, 'code_execution' as const];
    const apart = { ...agent(true), nativeTools, outsideTools: 'apart' as const };
    expect(boundNativeTools(apart, [logs])).toEqual(['code_execution']);
    expect(boundNativeTools({ ...apart, tools: [] }, [])).toEqual(nativeTools);
  });
});

describe('a provider', () => {
  it('is named once, and one of them has a client of its own', () => {
    expect(new Set(PROVIDERS).size).toBe(PROVIDERS.length);
    expect(PROVIDERS.filter(isNative)).toEqual(['google']);
  });

  it.each([
    ['google', 'gemini-2.5-flash', true],
    ['google', 'gemini-3.8-flash', false],
    ['openai', 'gpt-4.1', true],
    ['openai', 'gpt-5-mini', false],
    ['azure_openai', 'o3', false],
    ['anthropic', 'claude', true],
    ['groq', 'gpt-5-like', true],
  ])('%s takes a temperature for %s or does not: %j', (provider, model, takes) => {
    expect(takesTemperature({ provider, model })).toBe(takes);
  });

  it('binds tools to its models or does not', () => {
    expect(PROVIDERS.filter((provider) => !bindsTools(provider))).toEqual(['perplexity']);
  });

  it('takes a thinking level or does not', () => {
    expect(PROVIDERS.filter(takesThinkingLevel)).toEqual(['google', 'openai', 'azure_openai']);
  });
});

it('native tools and function tools are combined from Gemini 3 on', () => {
  expect(['gemini-2.5-pro', 'gemini-3.8-flash', 'gemini-flash-latest', 'gpt-5'].map(canCombine)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
