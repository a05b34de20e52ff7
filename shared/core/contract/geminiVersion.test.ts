import { describe, expect, it } from 'vitest';
import { isGemini3OrLater } from './geminiVersion.ts';

describe('the generation in a model name', () => {
  it.each([
    ['gemini-2.0-flash', false],
    ['gemini-2.5-pro', false],
    ['gemini-3-flash-preview', true],
    ['gemini-10-x', true],
    ['gemini-flash-latest', true],
    ['gemma-3-27b', false],
  ])('knows whether %s is Gemini 3 or later: %s', (model, expected) => {
    expect(isGemini3OrLater(model)).toBe(expected);
  });
});
