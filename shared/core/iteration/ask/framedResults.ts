// Frames the results of tools as data when the model is asked. The stored results are unframed.

import { incrementalFold } from '../../../text/incrementalFold.ts';
import { frameData } from '../../../text/untrustedFrame.ts';
import type { ConversationMessage } from '../../contract/llm.ts';
import { LOAD_SKILL } from '../../contract/skills.ts';
import type { CollectFeature } from '../../kernel/feature/feature.ts';
import { framedSkill } from '../../prompts/skills.ts';
import { isOwnCall } from '../../schema/block.ts';

/**
 * Frames every tool result of the conversation, so that each request repeats the previous ones byte for byte.
 * Results that no tool produced are framed, too: they quote servers and models. Results before the first
 * answer are collected ones, which become user messages: providers refuse results without a call, and a call
 * that the model did not write would need its signature.
 * @param hasIds whether frames have the ids with which claims name results: `r5` for the message 5. The same
 *   for all requests of an agent.
 */
export function framedResults(
  conversation: readonly ConversationMessage[],
  nonce: string,
  collect: Pick<CollectFeature, 'render'> | undefined,
  hasIds = false,
): readonly ConversationMessage[] {
  return frameAll(conversation, nonce, collect, hasIds).messages.slice();
}

type Collect = Parameters<typeof framedResults>[2];

const frameAll = incrementalFold(
  () => ({ messages: [] as ConversationMessage[], answer: undefined as ConversationMessage | undefined }),
  (read, message: ConversationMessage, nonce: string, collect: Collect, hasIds: boolean) => {
    const { messages, answer } = read;
    if (message.role === 'assistant') read.answer = message;
    if (message.role !== 'tool') return messages.push(message);
    const isCollected = answer === undefined;
    const known = framedMessages.get(message);
    if (known?.nonce === nonce && known.isCollected === isCollected) return messages.push(known.message);
    const framed = framedResult(
      message,
      nonce,
      isCollected ? collect : undefined,
      calledNames(answer),
      hasIds ? `r${messages.length + 1}` : undefined,
    );
    framedMessages.set(message, { nonce, isCollected, message: framed });
    return messages.push(framed);
  },
);

/** Framed messages of the cached conversations: framing reads every line. */
const framedMessages = new WeakMap<
  ConversationMessage,
  { nonce: string; isCollected: boolean; message: ConversationMessage }
>();

function framedResult(
  message: ConversationMessage,
  nonce: string,
  collect: Pick<CollectFeature, 'render'> | undefined,
  names: ReadonlyMap<string, string>,
  id: string | undefined,
): ConversationMessage {
  const blocks = message.blocks.map((block) => frameResult(block, nonce, names, id));
  if (collect === undefined) return { ...message, blocks };
  const rendered = blocks.map((block) => (block.blockType === 'tool_result' ? collect.render(block) : block));
  return { ...message, role: 'user', blocks: rendered };
}

/** The names of an answer's tools, by call id: a found tool is called by another one. */
function calledNames(answer: ConversationMessage | undefined): ReadonlyMap<string, string> {
  return new Map(answer?.blocks.filter(isOwnCall).map(({ toolUseId, toolName }) => [toolUseId, toolName]));
}

/** Providers compare the name of a result with that of its call. */
function frameResult<B extends ConversationMessage['blocks'][number]>(
  block: B,
  nonce: string,
  names: ReadonlyMap<string, string>,
  id: string | undefined,
): B {
  if (block.blockType !== 'tool_result') return block;
  const isSkill = block.toolName === LOAD_SKILL && !block.isError;
  const textContent = isSkill
    ? framedSkill(block.textContent, nonce)
    : frameData(block.textContent, { nonce, source: `tool ${block.toolName}`, id });
  return { ...block, toolName: names.get(block.toolUseId) ?? block.toolName, textContent };
}
