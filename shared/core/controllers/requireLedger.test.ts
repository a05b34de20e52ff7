import { expect, it } from 'vitest';
import type { Interpretation, IterationMode } from '../contract/controller.ts';
import { LEDGER, REQUIRES_LEDGER } from '../contract/ledgerTool.ts';
import type { ConversationMessage } from '../contract/llm.ts';
import { LEDGER_REMINDER, LEDGER_TOOL } from '../prompts/ledgerTool.ts';
import { textMessage } from '../schema/textMessage.ts';
import type { EventDraft } from '../schema/timelineEvent.ts';
import { requireLedger } from './requireLedger.ts';

const conclusion: Interpretation = {
  events: [],
  message: textMessage('assistant', 'The disk is full.'),
  next: { kind: 'conclude', analysis: 'The disk is full.' },
};
const call = (toolName: string, executionSide: 'server' | 'provider' = 'server'): ConversationMessage => ({
  role: 'assistant',
  blocks: [{ blockType: 'tool_use', toolUseId: 'c', toolName, input: '{}', executionSide }],
});
const statement = call(LEDGER);
const quote = textMessage('assistant', LEDGER_REMINDER) as ConversationMessage;
const thought: ConversationMessage = {
  role: 'user',
  blocks: [{ blockType: 'thinking', textContent: LEDGER_REMINDER }],
};
const reminder = textMessage('user', LEDGER_REMINDER) as ConversationMessage;

it.each<[string, ConversationMessage[], IterationMode, string[], string]>([
  ['without a statement', [], 'investigate', [REQUIRES_LEDGER], 'give_feedback'],
  ['that was refused once', [reminder], 'investigate', [REQUIRES_LEDGER], 'conclude'],
  ['behind a statement', [statement], 'investigate', [REQUIRES_LEDGER], 'conclude'],
  ['that is forced', [], 'conclude', [REQUIRES_LEDGER], 'conclude'],
  ['of an agent that can do without', [], 'investigate', [], 'conclude'],
  ['behind other calls', [call('k8s.logs')], 'investigate', [REQUIRES_LEDGER], 'give_feedback'],
  [
    'behind a call of the provider',
    [call(LEDGER, 'provider')],
    'investigate',
    [REQUIRES_LEDGER],
    'give_feedback',
  ],
  ['that quotes the reminder', [quote], 'investigate', [REQUIRES_LEDGER], 'give_feedback'],
  ['behind a thought of that text', [thought], 'investigate', [REQUIRES_LEDGER], 'give_feedback'],
  ['behind other words', [textMessage('user', 'Go on.')], 'investigate', [REQUIRES_LEDGER], 'give_feedback'],
])('a conclusion %s leads to: %s', (_, conversation, mode, tools, kind) => {
  const answered = { agent: { tools }, tools: [LEDGER_TOOL], mode, conversation };
  expect(requireLedger(conclusion, answered).next.kind).toBe(kind);
});

const required = { agent: { tools: [REQUIRES_LEDGER] }, tools: [LEDGER_TOOL], mode: 'investigate' as const };

it('a refused conclusion keeps its thoughts, and shows no analysis', () => {
  const thinking: EventDraft = { eventType: 'llm_thinking', content: 'Hm.', metadata: { source: 'react' } };
  const analysis: EventDraft = { eventType: 'final_analysis', content: 'Full.', metadata: { citations: [] } };
  const meaning = { ...conclusion, events: [thinking, analysis] };
  expect(requireLedger(meaning, { ...required, conversation: [] })).toEqual({
    events: [thinking],
    message: conclusion.message,
    next: {
      kind: 'give_feedback',
      code: 'OUTPUT_INVALID',
      reason: 'The conclusion has no ledger.',
      messages: [reminder],
    },
  });
});

it('is not asked of an agent that is not offered it, nor before the conclusion', () => {
  expect(requireLedger(conclusion, { ...required, tools: [], conversation: [] })).toBe(conclusion);
  const others = { ...LEDGER_TOOL, name: 'k8s.logs' };
  expect(requireLedger(conclusion, { ...required, tools: [others], conversation: [] })).toBe(conclusion);
  const calling: Interpretation = { ...conclusion, next: { kind: 'call_tools', calls: [] } };
  expect(requireLedger(calling, { ...required, conversation: [] })).toBe(calling);
});

it('a statement in the answer itself counts', () => {
  const stated = { ...conclusion, message: { role: 'assistant' as const, blocks: statement.blocks } };
  expect(requireLedger(stated, { ...required, conversation: [] })).toBe(stated);
});
