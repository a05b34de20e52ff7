// Appends instructions to the system prompt of a conversation.

import type { ConversationMessage } from '../contract/llm.ts';

/** The conversation with the instructions appended to its system prompt. */
export function withInstructions(
  conversation: readonly ConversationMessage[],
  instructions: string,
): ConversationMessage[] {
  const block = { blockType: 'text' as const, textContent: instructions };
  const [first, ...rest] = conversation;
  if (first?.role !== 'system') return [{ role: 'system', blocks: [block] }, ...conversation];
  return [{ ...first, blocks: [...first.blocks, block] }, ...rest];
}
