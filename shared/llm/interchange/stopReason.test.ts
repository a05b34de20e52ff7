import { describe, expect, it } from 'vitest';
import { thinkingConfig } from '../gemini/thinking.ts';
import { stopReason } from './stopReason.ts';

describe('stop reasons', () => {
  it.each([
    ['STOP', false, 'end_turn'],
    ['STOP', true, 'tool_use'],
    ['MAX_TOKENS', true, 'max_tokens'],
    ['SAFETY', false, 'safety'],
    ['A_NEW_REASON', false, 'a_new_reason'],
    [null, false, null],
  ])('1.7 [M] %s (calls: %s) is %s', (finishReason, hasCalls, reason) => {
    expect(stopReason(finishReason, hasCalls)).toBe(reason);
  });
});

describe('thinking effort', () => {
  it.each([
    ['low', 2_000],
    ['medium', 5_000],
    ['high', 12_000],
  ] as const)('1.7 [M] %s is a budget of %d tokens, on Gemini 3 a level', (thinkingLevel, thinkingBudget) => {
    const settings = { provider: 'google', thinkingLevel, includeThoughts: true } as const;
    expect(thinkingConfig({ ...settings, model: 'gemini-2.5-pro' })).toMatchObject({
      thinkingBudget,
    });
    expect(thinkingConfig({ ...settings, model: 'gemini-3.8-flash' })).toMatchObject({
      thinkingLevel: thinkingLevel.toUpperCase(),
    });
  });
});
