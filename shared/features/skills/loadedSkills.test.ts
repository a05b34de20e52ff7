import { expect, it } from 'vitest';
import type { ConversationMessage } from '../../core/contract/llm.ts';
import { loadedSkills } from './loadedSkills.ts';

type Block = ConversationMessage['blocks'][number];

const blocks = (id: string, toolName: string, input: object, result: object): Block[] =>
  [
    { blockType: 'tool_use', toolUseId: id, toolName, input: JSON.stringify(input) },
    { blockType: 'tool_result', toolUseId: id, toolName: 'load_skill', textContent: id, ...result },
  ] as unknown as Block[];

it('loads through call_tool, with an object or JSON text, count; failed and unanswered ones do not', () => {
  const conversation = [
    ...blocks('plain', 'load_skill', { name: 'a' }, {}),
    ...blocks('inner', 'call_tool', { name: 'load_skill', arguments: { name: 'b' } }, {}),
    ...blocks('text', 'call_tool', { name: 'load_skill', arguments: '{"name":"c"}' }, {}),
    ...blocks('failed', 'load_skill', { name: 'd' }, { isError: true }),
    ...blocks('lost', 'load_skill', { name: 'e' }, { noAnswer: true }),
  ];
  const messages = [{ blocks: conversation }] as unknown as ConversationMessage[];
  expect(loadedSkills(messages)).toEqual([
    { name: 'a', result: 'plain' },
    { name: 'b', result: 'inner' },
    { name: 'c', result: 'text' },
  ]);
});
