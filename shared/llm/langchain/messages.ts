// A conversation in the form of every provider's package: text, and calls with results if tools are bound.

import type { ConversationMessage, LlmRequest } from '../../core/contract/llm.ts';
import { TerminalError } from '../../core/errors.ts';
import { isOwnCall, type ToolResultBlock } from '../../core/schema/block.ts';
import type { Block } from '../../core/schema/message.ts';
import { toolResultText } from '../../schema/toolResultText.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { convertForProvider } from '../blocks/convertForProvider.ts';
import type { PortableMessage } from '../blocks/portableMessage.ts';
import { answerToolCalls } from '../blocks/turns.ts';
import { toWireName } from '../wireNames.ts';
import { hasCalls, type OwnForm } from './collectReplay.ts';
import type { WireCall, WireMessage } from './packages.ts';
import { readReplay } from './replay.ts';

/** How a conversation is written down. */
export interface WireOptions {
  /** Whether tools are bound. Without any, calls and results become text: some providers refuse them then. */
  withCalls?: boolean;
  /** The model that will read it: its answers go back as they came. Absent: all are made of blocks. */
  model?: LlmRequest['model'];
  /** Receives a sentence, without content, for each thing that could not be passed on. */
  note?: (sentence: string) => void;
}

/** Neighbouring messages that are sent in one way: an answer in its own form with its results, or others. */
interface Stretch {
  /** The provider's own form of the answer. Absent: it is made of its blocks. */
  form?: OwnForm;
  /** Its messages, in order. */
  messages: ConversationMessage[];
}

/**
 * System texts come first, as one message; then user and assistant in turns, because some models refuse
 * anything else. Calls are in the assistant's message and their results behind it, in call order. Answers of
 * `model` with signed or encrypted reasoning are sent in their own form; of others that data is left out, and
 * thoughts become tagged text.
 * @throws TerminalError `MODEL_BAD_REQUEST` when there is nothing to answer.
 */
export function wireMessages(messages: ConversationMessage[], options: WireOptions = {}): WireMessage[] {
  const system = joinNonEmpty(messages.filter(({ role }) => role === 'system').map(joinPortableText));
  const turns: WireMessage[] = [];
  for (const { form, messages: stretch } of groupStretches(messages, options)) {
    const next = form === undefined ? convertMessages(stretch, options) : inOwnForm(form, stretch);
    for (const message of next) addMessage(turns, message);
  }
  if (turns.length === 0) {
    throw new TerminalError('MODEL_BAD_REQUEST', 'The conversation holds no message that could be answered.');
  }
  return system === '' ? turns : [{ role: 'system', content: system }, ...turns];
}

/** Whether any answer of the conversation is sent in its own form. */
export function hasOwnForms(messages: ConversationMessage[], options: WireOptions): boolean {
  return groupStretches(messages, options).some(({ form }) => form !== undefined);
}

function groupStretches(messages: readonly ConversationMessage[], options: WireOptions): Stretch[] {
  const all: Stretch[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const form = chooseOwnForm(message, options);
    const last = all.at(-1);
    if (form !== undefined) all.push({ form, messages: [message] });
    else if (last !== undefined && (last.form === undefined || message.role === 'tool'))
      last.messages.push(message);
    else all.push({ messages: [message] });
  }
  return all;
}

function chooseOwnForm(
  { role, replay, signaturesRefused }: ConversationMessage,
  { model, withCalls = false }: WireOptions,
): OwnForm | undefined {
  if (role !== 'assistant' || model === undefined || signaturesRefused === true) return undefined;
  const form = readReplay(replay, model);
  return form !== undefined && (withCalls || !hasCalls(form)) ? form : undefined;
}

function inOwnForm(form: OwnForm, [answer, ...tools]: ConversationMessage[]): WireMessage[] {
  const blocks = answer?.blocks ?? [];
  const calls = blocks.filter(isOwnCall);
  const wire = calls.length === 0 ? {} : { tool_calls: calls.map(wireCall) };
  const own: WireMessage =
    form.kind === 'content'
      ? { role: 'assistant', content: form.content, ...wire }
      : {
          role: 'assistant',
          content: joinTextBlocks(blocks),
          ...wire,
          response_metadata: { output: form.output },
        };
  const answered = answerToolCalls([
    { role: 'assistant', blocks: calls },
    { role: 'user', blocks: tools.flatMap((tool) => tool.blocks) },
  ]);
  return [own, ...structuredMessages({ role: 'user', blocks: answered.at(-1)?.blocks ?? [] })];
}

/** Messages made of their blocks, with nothing that only their maker could read. */
function convertMessages(
  messages: ConversationMessage[],
  { withCalls = false, note }: WireOptions,
): WireMessage[] {
  const { messages: portable, notes } = convertForProvider(messages, null);
  for (const sentence of notes) note?.(sentence);
  return portable.flatMap((message) => (withCalls ? structuredMessages(message) : textOnly(message)));
}

/** Adds a message. Consecutive plain messages of one role are merged. */
function addMessage(turns: WireMessage[], next: WireMessage): void {
  const last = turns.at(-1);
  if (last !== undefined && isPlain(last) && isPlain(next) && last.role === next.role) {
    last.content = joinNonEmpty([last.content, next.content]);
  } else turns.push(next);
}

/** Whether a message is text only, so that it can be joined with its neighbour. */
function isPlain(message: WireMessage): message is WireMessage & { content: string } {
  if (message.role === 'user') return true;
  if (message.role !== 'assistant') return false;
  const { content, tool_calls, response_metadata } = message;
  return typeof content === 'string' && tool_calls === undefined && response_metadata === undefined;
}

function textOnly(message: PortableMessage): WireMessage[] {
  const content = joinPortableText(message);
  return content === '' ? [] : [{ role: toSpeaker(message), content }];
}

/** A message with its calls, or the results in it, followed by its text. */
function structuredMessages(message: PortableMessage): WireMessage[] {
  const { blocks } = message;
  const content = joinTextBlocks(blocks);
  const results = blocks.filter((block) => block.blockType === 'tool_result').map(wireResult);
  const calls = blocks.filter(isOwnCall).map(wireCall);
  if (calls.length > 0) return [{ role: 'assistant', content, tool_calls: calls }];
  return content === '' ? results : [...results, { role: toSpeaker(message), content }];
}

function joinTextBlocks(blocks: readonly Block[]): string {
  return joinNonEmpty(blocks.map((block) => (block.blockType === 'text' ? block.textContent : '')));
}

function toSpeaker({ role }: PortableMessage): 'user' | 'assistant' {
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

/** Adds an error's status to its text, too: some providers' wire formats have no place for `status`. */
function wireResult(block: ToolResultBlock): WireMessage {
  const { toolUseId, toolName, isError } = block;
  const text = portableResultText(block);
  return {
    role: 'tool',
    content: isError ? `Error: ${text}` : text,
    tool_call_id: toolUseId,
    name: toWireName(toolName),
    status: isError ? 'error' : 'success',
  };
}

function joinPortableText({ blocks }: Pick<PortableMessage, 'blocks'>): string {
  return joinNonEmpty(blocks.map(portableBlockText));
}

function portableBlockText(block: Block): string {
  if (block.blockType === 'text') return block.textContent;
  if (block.blockType === 'tool_use') return `Called ${block.toolName} with ${block.input}`;
  if (block.blockType === 'tool_result') {
    return `${block.isError ? 'Error' : 'Result'} of ${block.toolName}: ${portableResultText(block)}`;
  }
  return '';
}

/** Some providers refuse a result without text. */
function portableResultText(block: ToolResultBlock): string {
  const text = toolResultText(block).toWellFormed();
  return text.trim() === '' ? '(no output)' : text;
}

function joinNonEmpty(texts: string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}
