// Frames the results of tools as data when the model is asked. They are stored as they came.

import type { ConversationMessage } from '../../../contract/llm.ts';
import { collectedResultPrompt } from '../../../prompt/collected.ts';
import type { Block } from '../../../schema/block.ts';
import { frameData } from '../../../text/frame.ts';
import { numberOf } from '../../features/collect/collectCalls.ts';

/**
 * The conversation with every tool result framed, so that each request repeats the ones before byte for byte. Results that
 * no tool gave are framed as well: they quote servers and models. Those before the first answer are words of the user.
 */
export function framedResults(
  conversation: readonly ConversationMessage[],
  nonce: string,
): ConversationMessage[] {
  const firstAnswer = conversation.findIndex(({ role }) => role === 'assistant');
  return conversation.map((message, index) => {
    if (message.role !== 'tool') return message;
    const isCollected = firstAnswer === -1 || index < firstAnswer;
    const known = framedMessages.get(message);
    if (known?.nonce === nonce && known.isCollected === isCollected) return known.message;
    const framedMessage = framedResult(message, nonce, isCollected);
    framedMessages.set(message, { nonce, isCollected, message: framedMessage });
    return framedMessage;
  });
}

/** Framed messages of the conversations that this process keeps: framing reads every line. */
const framedMessages = new WeakMap<
  ConversationMessage,
  { nonce: string; isCollected: boolean; message: ConversationMessage }
>();

function framedResult(
  message: ConversationMessage,
  nonce: string,
  isCollected: boolean,
): ConversationMessage {
  const blocks = message.blocks.map((block) => framed(block, nonce));
  return isCollected ? { ...message, role: 'user', blocks: blocks.map(collected) } : { ...message, blocks };
}

/**
 * A result of `collect`, which no answer asked for: providers refuse results without a call, and a call that the model did
 * not write would need a signature of it.
 */
function collected(block: Block): Block {
  if (block.blockType !== 'tool_result') return block;
  const { toolUseId, toolName, isError, textContent } = block;
  const call = { number: numberOf(toolUseId), name: toolName, isError };
  return { blockType: 'text', textContent: collectedResultPrompt(call, textContent) };
}

function framed<B extends ConversationMessage['blocks'][number]>(block: B, nonce: string): B {
  if (block.blockType !== 'tool_result') return block;
  return { ...block, textContent: frameData(block.textContent, { nonce, source: `tool ${block.toolName}` }) };
}
