// Arranges messages as providers require: results of the user, alternating roles, answered calls.

import { type Block, type BlockOf, isOwnCall, type ToolResultBlock } from '../../core/schema/block.ts';
import { toolResultText } from '../../schema/toolResultText.ts';
import { isOwn, type PortableMessage, type Target, textBlock } from './portableMessage.ts';

const MISSING_RESULT = 'There is no result: the call was not carried out.';

/**
 * Every tool_result leaves its assistant message and becomes a user message of its own, in place. Results of
 * tools that the target ran itself stay: for the target they are part of its answer.
 */
export function splitMessagesAtToolResults(
  messages: readonly PortableMessage[],
  target: Target = null,
): PortableMessage[] {
  return messages.flatMap((message) => {
    if (message.role !== 'assistant') return [message];
    const split: PortableMessage[] = [];
    for (const block of message.blocks) {
      const isResult = block.blockType === 'tool_result' && !isRunBy(block, target);
      const role = isResult ? 'user' : 'assistant';
      const last = split.at(-1);
      if (last?.role === 'assistant' && role === 'assistant') last.blocks.push(block);
      else split.push({ role, blocks: [block] });
    }
    return split;
  });
}

function isRunBy(block: ToolResultBlock, target: Target): boolean {
  return block.executionSide === 'provider' && isOwn(block, target);
}

/** Neighbours of one role become one message. Never shares a list with its input. Run it after the splits. */
export function mergeConsecutiveSameRole(messages: readonly PortableMessage[]): PortableMessage[] {
  const merged: PortableMessage[] = [];
  for (const { role, blocks } of messages) {
    const last = merged.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else merged.push({ role, blocks: [...blocks] });
  }
  return merged;
}

/**
 * Pairs calls and results for providers that refuse one without the other: the user message after a call
 * starts with the results of all calls, in call order, and a call without one gets an error in its place. A
 * result without a call in the message before it becomes text. Expects merged messages and returns merged
 * messages.
 */
export function answerToolCalls(messages: readonly PortableMessage[]): PortableMessage[] {
  const answered: PortableMessage[] = [];
  let open: BlockOf<'tool_use'>[] = [];
  for (const message of messages) {
    if (message.role !== 'user' && open.length > 0) answered.push(answerTo(open, []));
    if (message.role === 'user') answered.push(answerTo(open, message.blocks));
    else answered.push({ role: message.role, blocks: [...message.blocks] });
    open = message.role === 'assistant' ? message.blocks.filter(isOwnCall) : [];
  }
  if (open.length > 0) answered.push(answerTo(open, []));
  return answered;
}

function answerTo(calls: readonly BlockOf<'tool_use'>[], blocks: readonly Block[]): PortableMessage {
  const left = [...blocks];
  const results = calls.map((call): Block => {
    const index = left.findIndex(
      (block) => block.blockType === 'tool_result' && block.toolUseId === call.toolUseId,
    );
    const found = index === -1 ? undefined : left.splice(index, 1)[0];
    return found?.blockType === 'tool_result' ? toOwnResult(call, found) : missingResult(call);
  });
  return { role: 'user', blocks: [...results, ...left.map(orphanAsText)] };
}

/** The result as one of ours: it answers a call of ours, whatever side and name it was stored with. */
function toOwnResult({ toolName }: BlockOf<'tool_use'>, block: ToolResultBlock): Block {
  const { executionSide: _, ...rest } = block;
  return { ...rest, toolName };
}

function missingResult({ toolUseId, toolName }: BlockOf<'tool_use'>): Block {
  return { blockType: 'tool_result', toolUseId, toolName, isError: true, textContent: MISSING_RESULT };
}

function orphanAsText(block: Block): Block {
  if (block.blockType !== 'tool_result') return block;
  return textBlock(`Result of ${block.toolName || 'a tool'}:\n${toolResultText(block)}`);
}
