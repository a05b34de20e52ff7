import { expect, it } from 'vitest';
import { toolResult } from './toolResult.ts';

it('a long result is cut, and says so', () => {
  const [content] = toolResult({ analysis: 'x'.repeat(900_000) }).content;
  const text = content?.type === 'text' ? content.text : '';
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(400_000);
  expect(text).toMatch(/bytes/);
});
