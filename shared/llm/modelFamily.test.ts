import { describe, expect, it } from 'vitest';
import { modelFamily, sharesSignatures } from './modelFamily.ts';

describe('modelFamily', () => {
  it.each([
    ['gemini-2.5-pro', 'gemini-2.5'],
    ['gemini-2.5-flash-lite', 'gemini-2.5'],
    ['gemini-3-pro-preview', 'gemini-3'],
    ['gemini-3.8-flash', 'gemini-3.8'],
    ['gemini-4-argon', 'gemini-4'],
    ['models/gemini-3.8-flash', 'gemini-3.8'],
    ['projects/p/locations/global/publishers/google/models/gemini-2.5-pro', 'gemini-2.5'],
    ['gemini-flash-latest', 'gemini-flash-latest'],
    ['gemma-3-27b', 'gemma-3-27b'],
  ])('%s belongs to %s', (model, family) => {
    expect(modelFamily(model)).toBe(family);
  });
});

describe('signatures', () => {
  const google = (model: string) => ({ provider: 'google', model });

  it('are shared within a family of one provider', () => {
    expect(sharesSignatures(google('gemini-3.8-flash'), google('gemini-3.8-pro'))).toBe(true);
  });

  it.each([
    ['another family', google('gemini-2.5-pro')],
    ['another provider', { provider: 'google-genai', model: 'gemini-3.8-flash' }],
  ])('are not shared with %s', (_, other) => {
    expect(sharesSignatures(google('gemini-3.8-flash'), other)).toBe(false);
  });
});
