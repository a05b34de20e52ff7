// A conversation as plain text messages, in a form that every provider takes: nothing but text is understood by all.

import type { ConversationMessage } from '../../contract/llm.ts';
import { TerminalError } from '../../errors.ts';
import type { Block } from '../../schema/message.ts';
import { convertForProvider } from '../blocks/convertForProvider.ts';
import type { PortableMessage } from '../blocks/portableMessage.ts';
import type { WireMessage } from './packages.ts';

/**
 * System texts come first, as one message; then user and assistant in turns, because some models refuse anything else.
 * Tool results become text of the user, calls text of the assistant, thoughts tagged text.
 * @param note receives a sentence, without content, for each thing that could not be passed on.
 * @throws TerminalError `MODEL_BAD_REQUEST` when there is nothing to answer.
 */
export function wireMessages(
  messages: ConversationMessage[],
  note?: (sentence: string) => void,
): WireMessage[] {
  // No provider's own data can be used here, so everything is converted.
  const { messages: portable, notes } = convertForProvider(messages, null);
  for (const sentence of notes) note?.(sentence);
  const system = joined(portable.filter(({ role }) => role === 'system').map(textOf));
  const turns: WireMessage[] = [];
  for (const message of portable) {
    const content = textOf(message);
    if (message.role === 'system' || content === '') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) last.content = joined([last.content, content]);
    else turns.push({ role, content });
  }
  if (turns.length === 0) {
    throw new TerminalError('MODEL_BAD_REQUEST', 'The conversation holds no message that could be answered.');
  }
  return system === '' ? turns : [{ role: 'system', content: system }, ...turns];
}

function textOf({ blocks }: PortableMessage): string {
  return joined(blocks.map(blockText));
}

function blockText(block: Block): string {
  if (block.blockType === 'text') return block.textContent;
  if (block.blockType === 'tool_use') return `Called ${block.toolName} with ${block.input}`;
  if (block.blockType === 'tool_result') {
    return `${block.isError ? 'Error' : 'Result'} of ${block.toolName}: ${block.textContent}`;
  }
  return '';
}

function joined(texts: string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}
