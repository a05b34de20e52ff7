import { describe, expect, it } from 'vitest';
import type { ToolResultBlock } from '../core/schema/block.ts';
import { toolResultText } from './toolResultText.ts';

const FORMS = {
  textContent: 'text',
  content: 'content',
  result: '"result"',
  error: 'error',
  errorCode: 'code',
} as const;

function textOf(fields: Partial<ToolResultBlock>): string {
  return toolResultText({
    blockType: 'tool_result',
    toolUseId: 't1',
    toolName: 'x',
    isError: false,
    textContent: '',
    ...fields,
  });
}

describe('the text of a result', () => {
  it('1.6 [M] is text_content before anything else', () => {
    expect(textOf(FORMS)).toBe('text');
  });

  it('1.6 [M] is content before result', () => {
    expect(textOf({ ...FORMS, textContent: '' })).toBe('content');
  });

  it('1.6 [M] is result when there is no error', () => {
    expect(textOf({ result: '"result"', error: 'error' })).toBe('result');
  });

  it('1.6 [M] is the error when there is one', () => {
    expect(textOf({ isError: true, error: 'error' })).toBe('error');
  });

  it.each([
    ['{"a":[1,2]}', '{"a":[1,2]}'],
    ['42', '42'],
    ['null', 'null'],
    ['"say \\"hi\\""', 'say "hi"'],
    ['no JSON', 'no JSON'],
  ])('1.6 [B] the result %s is sent as %s', (result, sent) => {
    expect(textOf({ result })).toBe(sent);
  });

  it('1.6 [B] the text of an error is not lost when there is a result as well', () => {
    expect(textOf({ isError: true, error: 'refused', result: '"half"' })).toBe('refused\nhalf');
  });

  it('is the list of sources, by their address when they have no title', () => {
    expect(textOf({ results: [{ title: '', url: 'https://a.example' }] })).toBe(
      '1. [https://a.example](https://a.example)',
    );
  });

  it('names a source without an address by its title', () => {
    expect(textOf({ results: [{ title: 'Runbook', url: '' }] })).toBe('1. Runbook');
  });

  it('has links that spaces in an address do not end', () => {
    expect(textOf({ results: [{ title: 'SF', url: 'https://a.example/San Francisco' }] })).toBe(
      '1. [SF](https://a.example/San%20Francisco)',
    );
  });

  it('is empty when there is none', () => {
    expect(textOf({})).toBe('');
  });
});
