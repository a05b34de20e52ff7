// A conversation in the form that every provider's package takes: text, and calls with their results where tools are bound.

import type { ConversationMessage } from '../../contract/llm.ts';
import { TerminalError } from '../../errors.ts';
import { isOwnCall, type ToolResultBlock } from '../../schema/block.ts';
import type { Block } from '../../schema/message.ts';
import { toolResultText } from '../../schema/toolResultText.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { convertForProvider } from '../blocks/convertForProvider.ts';
import type { PortableMessage } from '../blocks/portableMessage.ts';
import { toWireName } from '../wireNames.ts';
import type { WireCall, WireMessage } from './packages.ts';

/** How a conversation is written down. */
export interface WireOptions {
  /** Whether tools are bound. Without any, calls and results are told as text: some providers refuse them then. */
  withCalls?: boolean;
  /** Receives a sentence, without content, for each thing that could not be passed on. */
  note?: (sentence: string) => void;
}

/**
 * System texts come first, as one message; then user and assistant in turns, because some models refuse anything else.
 * Calls stand in the assistant's message and their results behind it, in call order; signatures and other data that only
 * their maker reads are left out, and thoughts become tagged text.
 * @throws TerminalError `MODEL_BAD_REQUEST` when there is nothing to answer.
 */
export function wireMessages(messages: ConversationMessage[], options: WireOptions = {}): WireMessage[] {
  const { withCalls = false, note } = options;
  // No provider's own data can be used here, so everything is converted.
  const { messages: portable, notes } = convertForProvider(messages, null);
  for (const sentence of notes) note?.(sentence);
  const system = joined(portable.filter(({ role }) => role === 'system').map(textOf));
  const turns: WireMessage[] = [];
  for (const message of portable) {
    if (message.role === 'system') continue;
    for (const next of withCalls ? structured(message) : told(message)) addTurn(turns, next);
  }
  if (turns.length === 0) {
    throw new TerminalError('MODEL_BAD_REQUEST', 'The conversation holds no message that could be answered.');
  }
  return system === '' ? turns : [{ role: 'system', content: system }, ...turns];
}

/** Adds a message. Users do not speak twice in a row, nor do assistants without calls. */
function addTurn(turns: WireMessage[], next: WireMessage): void {
  const last = turns.at(-1);
  const joins = next.role === 'user' || (next.role === 'assistant' && next.tool_calls === undefined);
  if (joins && last?.role === next.role && !('tool_calls' in last)) {
    last.content = joined([last.content, next.content]);
  } else turns.push(next);
}

/** A message as text alone. */
function told(message: PortableMessage): WireMessage[] {
  const content = textOf(message);
  return content === '' ? [] : [{ role: speakerOf(message), content }];
}

/** A message with its calls, or the results in it, followed by its text. */
function structured(message: PortableMessage): WireMessage[] {
  const { blocks } = message;
  const content = joined(blocks.map((block) => (block.blockType === 'text' ? block.textContent : '')));
  const results = blocks.filter((block) => block.blockType === 'tool_result').map(wireResult);
  const calls = blocks.filter(isOwnCall).map(wireCall);
  if (calls.length > 0) return [{ role: 'assistant', content, tool_calls: calls }];
  return content === '' ? results : [...results, { role: speakerOf(message), content }];
}

function speakerOf({ role }: PortableMessage): 'user' | 'assistant' {
  return role === 'assistant' ? 'assistant' : 'user';
}

function wireCall({
  toolUseId: id,
  toolName,
  input,
}: {
  toolUseId: string;
  toolName: string;
  input: string;
}): WireCall {
  return { type: 'tool_call', id, name: toWireName(toolName), args: parseCallArguments(input) };
}

/** Not every provider's wire has a place for `status`, so an error says so in its text, too. */
function wireResult(block: ToolResultBlock): WireMessage {
  const { toolUseId, toolName, isError } = block;
  const text = resultText(block);
  return {
    role: 'tool',
    content: isError ? `Error: ${text}` : text,
    tool_call_id: toolUseId,
    name: toWireName(toolName),
    status: isError ? 'error' : 'success',
  };
}

function textOf({ blocks }: PortableMessage): string {
  return joined(blocks.map(blockText));
}

function blockText(block: Block): string {
  if (block.blockType === 'text') return block.textContent;
  if (block.blockType === 'tool_use') return `Called ${block.toolName} with ${block.input}`;
  if (block.blockType === 'tool_result') {
    return `${block.isError ? 'Error' : 'Result'} of ${block.toolName}: ${resultText(block)}`;
  }
  return '';
}

/** Some providers refuse a result without text. */
function resultText(block: ToolResultBlock): string {
  const text = toolResultText(block).toWellFormed();
  return text.trim() === '' ? '(no output)' : text;
}

function joined(texts: string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}
