// Refuses the conclusion of an agent that must keep a ledger and stated nothing: once, with feedback.

import type { Interpretation, IterationMode } from '../contract/controller.ts';
import { isLedgerCall, REQUIRES_LEDGER } from '../contract/ledgerTool.ts';
import type { ConversationMessage } from '../contract/llm.ts';
import type { ToolDefinition } from '../contract/tools.ts';
import { LEDGER_REMINDER } from '../prompts/ledgerTool.ts';
import type { Agent } from '../schema/agent.ts';
import { isOwnCall } from '../schema/block.ts';
import { textMessage } from '../schema/textMessage.ts';

/** The answer and everything before it. */
interface Answered {
  agent: Pick<Agent, 'tools'>;
  /** The tools that the request offered. */
  tools: readonly ToolDefinition[];
  /** A forced conclusion is never refused. */
  mode: IterationMode;
  conversation: readonly ConversationMessage[];
}

/** The interpretation, or the refusal of a conclusion. */
export function requireLedger(meaning: Interpretation, answered: Answered): Interpretation {
  const { agent, tools, mode, conversation } = answered;
  if (meaning.next.kind !== 'conclude' || mode === 'conclude') return meaning;
  if (!agent.tools.includes(REQUIRES_LEDGER) || !tools.some(isLedgerCall)) return meaning;
  const isStated = [...conversation, meaning.message].some(({ blocks }) =>
    blocks.some((block) => isOwnCall(block) && isLedgerCall({ name: block.toolName })),
  );
  const isRefused = conversation.some(({ role, blocks }) => {
    const [block] = blocks;
    return role === 'user' && block?.blockType === 'text' && block.textContent === LEDGER_REMINDER;
  });
  if (isStated || isRefused) return meaning;
  return {
    events: meaning.events.filter(({ eventType }) => eventType !== 'final_analysis'),
    message: meaning.message,
    next: {
      kind: 'give_feedback',
      code: 'OUTPUT_INVALID',
      reason: 'The conclusion has no ledger.',
      messages: [textMessage('user', LEDGER_REMINDER)],
    },
  };
}
