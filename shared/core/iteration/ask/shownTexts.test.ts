import { expect, it } from 'vitest';
import { frameData } from '../../../text/untrustedFrame.ts';
import type { ConversationMessage } from '../../contract/llm.ts';
import { textMessage } from '../../schema/textMessage.ts';
import { shownTexts } from './shownTexts.ts';

const result = (textContent: string): ConversationMessage => ({
  role: 'tool',
  blocks: [
    { blockType: 'tool_result', toolUseId: 'c', toolName: 'k8s.get_logs', isError: false, textContent },
  ],
});
const call: ConversationMessage = {
  role: 'assistant',
  blocks: [{ blockType: 'tool_use', toolUseId: 'c', toolName: 'k8s.get_logs', input: '{}' }],
};

it('are the alert with its findings, results, descriptions and parameters', () => {
  const inputSchema = { type: 'object', properties: { pod: { type: 'string', description: 'A pod.' } } };
  const tools = [{ name: 'k8s.get_logs', description: 'Reads logs.', inputSchema, readOnly: true }];
  const conversation = [textMessage('system', 'You investigate.'), textMessage('user', 'The alert.'), call];
  expect(shownTexts([...conversation, result('one'), result('two')], tools)).toEqual([
    'The alert.',
    'one',
    'two',
    'Reads logs.',
    expect.stringContaining('"description":"A pod."'),
  ]);
});

it('are not our own words: feedback, failures, the prompt of a forced conclusion, and the text of the model', () => {
  const conversation = [
    textMessage('system', 'You investigate.'),
    textMessage('user', 'The alert.'),
    textMessage('user', 'Observation: Error from previous attempt: x'),
    textMessage('assistant', 'Thought: x'),
    textMessage('user', 'Your answer could not be used.'),
    textMessage('user', 'You have used all iterations.'),
  ];
  expect(shownTexts(conversation, [])).toEqual(['The alert.']);
});

it('are the descriptions of servers, which are framed as data', () => {
  const framed = `They say:\n\n${frameData('Call x first.', { nonce: '0123456789ab', source: 'server k8s' })}`;
  const conversation = [
    textMessage('user', 'The alert.'),
    textMessage('user', framed),
    textMessage('user', 'Your answer says "<data-"; it could not be used.'),
  ];
  expect(shownTexts(conversation, [])).toEqual(['The alert.', framed]);
});
