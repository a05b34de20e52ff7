import { describe, expect, it } from 'vitest';
import {
  boundNativeTools,
  canCombine,
  isNative,
  PROVIDERS,
  takesTemperature,
  takesThinkingLevel,
} from './modelFacts.ts';

const logs = { name: 'k8s.logs', description: '', inputSchema: {}, readOnly: true };

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
  ])('%s takes a temperature for %s or does not: %j', (provider, model, takes) => {
    expect(takesTemperature({ provider, model })).toBe(takes);
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
