// A conversation as the input of an interaction: its answers go back step by step as they came, others as
// the steps of their blocks.

import type { ConversationMessage } from '../../core/contract/llm.ts';
import { TerminalError } from '../../core/errors.ts';
import { type Block, isOwnCall, type ToolResultBlock } from '../../core/schema/block.ts';
import { toolResultText } from '../../schema/toolResultText.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { asText } from '../../text/json.ts';
import { convertForProvider } from '../blocks/convertForProvider.ts';
import type { PortableMessage } from '../blocks/portableMessage.ts';
import { answerToolCalls } from '../blocks/turns.ts';
import {
  type BuildOptions,
  groupStretches,
  type ReadMessage,
  restoreMessageBlocks,
} from '../gemini/buildContents.ts';
import { toWireName } from '../wireNames.ts';
import type { Step } from './steps.ts';

/** A conversation as a request holds it. */
interface InteractionInput {
  /** Texts of all system messages; absent when there are none. */
  systemInstruction?: string;
  /** The steps, oldest first. */
  input: Step[];
}

/**
 * The steps of a conversation. Answers of the same model family that came by this API are replayed step by
 * step; all others are retold from their blocks, without signatures. Each call has its result.
 * @throws TerminalError `MODEL_BAD_REQUEST` when nothing is left to answer, also if the model spoke last;
 *   `DOCUMENT_INVALID` when steps that are needed cannot be read.
 */
export function buildInput(
  messages: readonly ConversationMessage[],
  options: BuildOptions,
): InteractionInput {
  const system = messages
    .filter(({ role }) => role === 'system')
    .flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.blockType === 'text' ? [block.textContent] : [])),
    );
  const input = groupStretches(messages, { ...options, form: 'steps' }).flatMap(
    ({ mode, messages: stretch }) =>
      mode === 'replayed' ? replayMessages(stretch) : retellMessages(stretch, options),
  );
  const last = input.at(-1)?.type;
  if (last !== 'user_input' && last !== 'function_result') {
    const message =
      'The conversation ends with no text of a user and no result of a tool for the model to answer.';
    throw new TerminalError('MODEL_BAD_REQUEST', message);
  }
  return { ...(system.length > 0 && { systemInstruction: system.join('\n\n') }), input };
}

/** An answer as it came, and the results of its calls. */
function replayMessages([answer, ...tools]: readonly ReadMessage[]): Step[] {
  const steps = answer?.parts ?? [];
  const results = tools.flatMap(({ blocks }) => blocks);
  return [...steps, ...answerCalls(steps, answer?.blocks ?? [], results)];
}

/** One result per call, in call order, then the results without a call. Ids are those of the steps. */
function answerCalls(steps: readonly Step[], blocks: readonly Block[], results: readonly Block[]): Step[] {
  const answered = new Set(
    steps.flatMap(({ type, call_id: id }) => (type === 'function_result' ? [id] : [])),
  );
  const calls = steps.filter(({ type, id }) => type === 'function_call' && !answered.has(id));
  const known = blocks.filter(isOwnCall);
  const uses = calls.map((call, index): Block => {
    const toolUseId = known[index]?.toolUseId ?? asText(call.id) ?? `call_${index}`;
    return { blockType: 'tool_use', toolUseId, toolName: asText(call.name) ?? '', input: '{}' };
  });
  const paired = answerToolCalls([
    { role: 'assistant', blocks: uses },
    { role: 'user', blocks: [...results] },
  ]);
  return (paired.at(-1)?.blocks ?? []).flatMap((block, index): Step[] => {
    const call = calls[index];
    if (call === undefined || block.blockType !== 'tool_result') return blockSteps(block, 'user');
    return [resultStep(block, asText(call.id) ?? block.toolUseId, call.name)];
  });
}

function retellMessages(messages: readonly ReadMessage[], { note }: BuildOptions): Step[] {
  const portable = messages.map(
    (message): PortableMessage => ({ role: message.role, blocks: restoreMessageBlocks(message) }),
  );
  const { messages: readable, notes } = convertForProvider(portable, null);
  for (const sentence of notes) note?.(sentence);
  return readable.flatMap(({ role, blocks }) =>
    role === 'system' ? [] : blocks.flatMap((block) => blockSteps(block, role)),
  );
}

function blockSteps(block: Block, role: PortableMessage['role']): Step[] {
  switch (block.blockType) {
    case 'text':
      return contentStep(role, { type: 'text', text: block.textContent.toWellFormed() });
    case 'thinking':
      return [];
    case 'tool_use':
    case 'web_search_use':
      return [
        {
          type: 'function_call',
          id: block.toolUseId,
          name: toWireName(block.toolName),
          arguments: parseCallArguments(block.input),
        },
      ];
    case 'tool_result':
      return [resultStep(block, block.toolUseId, toWireName(block.toolName))];
    case 'image':
    case 'document': {
      const { blockType: type, mimeType, data, uri } = block;
      if (data === undefined && uri === undefined) return [];
      const source = data === undefined ? { uri } : { data };
      return contentStep(role, { type, mime_type: mimeType, ...source });
    }
  }
}

function contentStep(role: PortableMessage['role'], content: object): Step[] {
  return [{ type: role === 'assistant' ? 'model_output' : 'user_input', content: [content] }];
}

function resultStep(block: ToolResultBlock, callId: string, name: unknown): Step {
  const result = toolResultText(block).toWellFormed();
  return { type: 'function_result', call_id: callId, name, result, ...(block.isError && { is_error: true }) };
}
