import { expect, it } from 'vitest';
import type { ToolResultBlock } from '../core/schema/block.ts';
import { buildStoredText } from './storedText.ts';

const block = (more: Partial<ToolResultBlock>): ToolResultBlock => ({
  blockType: 'tool_result',
  toolUseId: 'c',
  toolName: 'k.get_logs',
  isError: false,
  textContent: 'a summary',
  ...more,
});
const stored = { id: 'r5', bytes: 9, lines: 1, firstPart: 0, parts: 2 } as ToolResultBlock['stored'];

it.each([
  ['of a result that is not stored apart is its block', block({}), undefined, 'a summary'],
  [
    'has no line of Inquest',
    block({ textContent: 'a\n[... 5 of 9 bytes left out ...]\nb' }),
    undefined,
    'a\n\nb',
  ],
  ['of a stored result is that of its pieces', block({ stored }), ['who', 'le'], 'whole'],
  ['of a stored result is unknown without its pieces', block({ stored }), undefined, undefined],
  ['of a stored result is unknown without one of its pieces', block({ stored }), ['who'], undefined],
  ['of a call without an answer is unknown', block({ noAnswer: true }), undefined, undefined],
])('the text %s', (_, one, pieces, text) => {
  expect(buildStoredText(one, pieces)).toBe(text);
});
