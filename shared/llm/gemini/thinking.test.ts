import { describe, expect, it } from 'vitest';
import { canThinkLess, thinkingConfig } from './thinking.ts';

const config = (model: string, thinkingLevel?: 'minimal' | 'low' | 'medium' | 'high') =>
  thinkingConfig({
    provider: 'google',
    model,
    includeThoughts: true,
    ...(thinkingLevel && { thinkingLevel }),
  });

describe('thinkingConfig', () => {
  it.each([
    ['gemini-3.8-flash', 'high', { thinkingLevel: 'HIGH' }],
    ['gemini-3.8-flash', 'minimal', { thinkingLevel: 'MINIMAL' }],
    ['gemini-3.1-pro-preview', 'minimal', { thinkingLevel: 'LOW' }],
    ['gemini-4-argon', 'minimal', { thinkingLevel: 'LOW' }],
    ['gemini-4-argon', 'low', { thinkingLevel: 'LOW' }],
    ['gemini-3.1-pro-preview', 'high', { thinkingLevel: 'HIGH' }],
    ['gemini-flash-latest', 'minimal', { thinkingLevel: 'LOW' }],
    ['gemini-2.5-flash-lite', 'minimal', { thinkingBudget: 512 }],
    ['gemini-flash-latest', 'medium', { thinkingLevel: 'MEDIUM' }],
    ['gemini-2.5-pro', 'low', { thinkingBudget: 2_000 }],
    ['gemini-2.5-flash', 'medium', { thinkingBudget: 5_000 }],
    ['gemini-2.5-flash', 'high', { thinkingBudget: 12_000 }],
    ['gemini-2.5-flash', undefined, {}],
    ['gemini-3.8-flash', undefined, {}],
  ] as const)('%s at %s', (model, level, expected) => {
    expect(config(model, level)).toEqual({ includeThoughts: true, ...expected });
  });

  it.each(['gemini-1.5-pro', 'gemini-2.0-flash', 'gemma-3-27b'])('%s takes none', (model) => {
    expect(config(model, 'high')).toBeUndefined();
  });
});

it.each([
  ['gemini-3.8-flash', undefined, true],
  ['gemini-3.8-flash', 'minimal', false],
  ['gemini-3.1-pro-preview', 'low', false],
  ['gemini-2.5-flash', 'low', true],
  ['gemini-2.5-flash', 'minimal', false],
  ['gemini-2.0-flash', undefined, false],
] as const)('%s at %s can think less: %s', (model, thinkingLevel, expected) => {
  const settings = { provider: 'google', model, includeThoughts: true };
  expect(canThinkLess({ ...settings, ...(thinkingLevel && { thinkingLevel }) })).toBe(expected);
});

it.each([
  ['low', 2_000],
  ['medium', 5_000],
  ['high', 12_000],
] as const)('1.7 [M] %s is a budget of %d tokens, on Gemini 3 a level', (thinkingLevel, thinkingBudget) => {
  const settings = { provider: 'google', thinkingLevel, includeThoughts: true } as const;
  expect(thinkingConfig({ ...settings, model: 'gemini-2.5-pro' })).toMatchObject({ thinkingBudget });
  expect(thinkingConfig({ ...settings, model: 'gemini-3.8-flash' })).toMatchObject({
    thinkingLevel: thinkingLevel.toUpperCase(),
  });
});
