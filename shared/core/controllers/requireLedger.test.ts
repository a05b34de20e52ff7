import { expect, it } from 'vitest';
import type { Interpretation, IterationMode } from '../contract/controller.ts';
import { LEDGER, REQUIRES_LEDGER } from '../contract/ledgerTool.ts';
import type { ConversationMessage } from '../contract/llm.ts';
import { LEDGER_REMINDER, LEDGER_TOOL } from '../prompts/ledgerTool.ts';
import { textMessage } from '../schema/textMessage.ts';
import { requireLedger } from './requireLedger.ts';

const conclusion: Interpretation = {
  events: [],
  message: textMessage('assistant', 'The disk is full.'),
  next: { kind: 'conclude', analysis: 'The disk is full.' },
};
const statement = {
  role: 'assistant',
  blocks: [{ blockType: 'tool_use', toolUseId: 'c', toolName: LEDGER, input: '{}', sequence: 0 }],
} as ConversationMessage;
const reminder = textMessage('user', LEDGER_REMINDER) as ConversationMessage;

it.each<[string, ConversationMessage[], IterationMode, string[], string]>([
  ['without a statement', [], 'investigate', [REQUIRES_LEDGER], 'give_feedback'],
  ['that was refused once', [reminder], 'investigate', [REQUIRES_LEDGER], 'conclude'],
  ['behind a statement', [statement], 'investigate', [REQUIRES_LEDGER], 'conclude'],
  ['that is forced', [], 'conclude', [REQUIRES_LEDGER], 'conclude'],
  ['of an agent that can do without', [], 'investigate', [], 'conclude'],
])('a conclusion %s leads to: %s', (_, conversation, mode, tools, kind) => {
  const answered = { agent: { tools }, tools: [LEDGER_TOOL], mode, conversation };
  expect(requireLedger(conclusion, answered).next.kind).toBe(kind);
});
