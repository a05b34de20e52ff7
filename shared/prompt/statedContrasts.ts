// The calls for contrast of code before an agent's first answer, from the conversation. Pure.

import type { ConversationMessage } from '../core/contract/llm.ts';
import type { ContrastCall } from '../schema/contrast.ts';
import { readContrastCalls } from './collected.ts';

/** The calls for contrast that a conversation states; undefined without any. */
export function statedContrasts(conversation: readonly ConversationMessage[]): ContrastCall[] | undefined {
  for (const { role, blocks } of conversation) {
    const [block] = blocks;
    const stated =
      role === 'user' && block?.blockType === 'text' ? readContrastCalls(block.textContent) : undefined;
    if (stated !== undefined) return stated;
  }
  return undefined;
}
