import { describe, expect, it } from 'vitest';
import { markConfidence } from './statedConfidence.ts';

describe('a confidence that a model states', () => {
  it.each([
    ['High confidence. Not checked: all.', 'High confidence of the model. Not checked: all.'],
    ['**Root cause** (confidence: high): a', '**Root cause** (confidence of the model: high): a'],
    ['**Root cause** (low): a', '**Root cause** (confidence of the model: low): a'],
    ['Confidence level: medium', 'confidence of the model: medium'],
    ['the confidence is low', 'the confidence of the model is low'],
  ])('is marked in %s', (text, marked) => {
    expect(markConfidence(text)).toBe(marked);
    expect(markConfidence(marked)).toBe(marked);
  });

  it.each(['the load is high', 'a highconfidence', 'confidence intervals (high)'])('is not in %s', (text) => {
    expect(markConfidence(text)).toBe(text);
  });
});
