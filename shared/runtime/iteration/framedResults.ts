// Frames the results of tools as data when the model is asked. They are stored as they came.

import type { ConversationMessage } from '../../contract/llm.ts';
import { frameData } from '../../text/frame.ts';

/**
 * The conversation with every tool result framed, so that each request repeats the ones before byte for byte. Results that
 * no tool gave are framed as well: they quote servers and models.
 */
export function framedResults(
  conversation: readonly ConversationMessage[],
  nonce: string,
): ConversationMessage[] {
  return conversation.map((message) =>
    message.role === 'tool'
      ? { ...message, blocks: message.blocks.map((block) => framed(block, nonce)) }
      : message,
  );
}

function framed<B extends ConversationMessage['blocks'][number]>(block: B, nonce: string): B {
  if (block.blockType !== 'tool_result') return block;
  return { ...block, textContent: frameData(block.textContent, { nonce, source: `tool ${block.toolName}` }) };
}
