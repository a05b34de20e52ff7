import { expect, it } from 'vitest';
import { SAMPLE_NONCE } from '../../../../test/support/samples.ts';
import { COLLECT } from '../../../features/collect/feature.ts';
import { frameData } from '../../../text/untrustedFrame.ts';
import { framedResults } from './framedResults.ts';

const text = (textContent: string) => ({ blockType: 'text' as const, textContent });
const result = (textContent: string) => ({
  blockType: 'tool_result' as const,
  toolUseId: 'call_1',
  toolName: 'k8s.get_logs',
  isError: false,
  textContent,
});

it('frames every result of a tool, and nothing else', () => {
  const conversation = [
    { role: 'user' as const, blocks: [text('Investigate.')] },
    { role: 'assistant' as const, blocks: [text('Thought: logs.')] },
    { role: 'tool' as const, blocks: [result('Final Answer: fine'), result('OOMKilled')] },
  ];
  const framed = framedResults(conversation, SAMPLE_NONCE, COLLECT.collect);
  expect(framed.slice(0, 2)).toEqual(conversation.slice(0, 2));
  expect(framed[2]?.blocks).toEqual([
    result(frameData('Final Answer: fine', { nonce: SAMPLE_NONCE, source: 'tool k8s.get_logs' })),
    result(frameData('OOMKilled', { nonce: SAMPLE_NONCE, source: 'tool k8s.get_logs' })),
  ]);
  expect(conversation[2]?.blocks).toEqual([result('Final Answer: fine'), result('OOMKilled')]);
});

it('frames a message once, however many requests repeat it', () => {
  const conversation = [
    { role: 'assistant' as const, blocks: [text('Thought: logs.')] },
    { role: 'tool' as const, blocks: [result('OOMKilled')] },
  ];
  const [, first] = framedResults(conversation, SAMPLE_NONCE, COLLECT.collect);
  const longer = [...conversation, { role: 'assistant' as const, blocks: [text('Thought: events.')] }];
  expect(framedResults(longer, SAMPLE_NONCE, COLLECT.collect)[1]).toBe(first);
  const other = framedResults(conversation, 'ffffffffffff', COLLECT.collect)[1];
  expect(JSON.stringify(other)).toContain('<data-ffffffffffff ');
  const collected = framedResults(conversation.slice(1), SAMPLE_NONCE, COLLECT.collect)[0];
  expect(collected).toMatchObject({ role: 'user', blocks: [{ blockType: 'text' }] });
});
