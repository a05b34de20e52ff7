// Converted messages as an Anthropic-shaped request.

import type { Block, ToolResultBlock, ToolUseBlock } from '../../core/schema/block.ts';
import { toolResultText } from '../../schema/toolResultText.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import type { JsonObject } from '../../text/json.ts';
import { type PortableMessage, readProviderData } from '../blocks/portableMessage.ts';
import { readOwnSignature } from '../blocks/thinking.ts';
import { toWireName } from '../wireNames.ts';

/** The provider's name. */
export const ANTHROPIC = 'anthropic';

/** System texts and messages as Anthropic's API takes them. */
interface AnthropicConversation {
  /** Texts of the system message; absent when there are none. */
  system?: string;
  /** User and assistant messages, with content blocks of Anthropic's API. */
  messages: { role: 'user' | 'assistant'; content: JsonObject[] }[];
}

/** The request's conversation, of messages that `convertForProvider` made for target `anthropic`. */
export function anthropicConversation(messages: readonly PortableMessage[]): AnthropicConversation {
  const system = messages
    .filter(({ role }) => role === 'system')
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.blockType === 'text' ? [block.textContent] : []));
  const spoken = messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, blocks }) => ({
      role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
      content: blocks.map(anthropicBlock),
    }));
  return { ...(system.length > 0 && { system: system.join('\n\n') }), messages: spoken };
}

/** One block. A raw block is returned as it was, an unreadable one is made of the block's fields. */
export function anthropicBlock(block: Block): JsonObject {
  const raw = block.provider === ANTHROPIC ? readProviderData(block) : undefined;
  if (raw !== undefined && typeof raw.type === 'string') return raw;
  switch (block.blockType) {
    case 'text':
      return { type: 'text', text: block.textContent };
    case 'thinking': {
      const signature = readOwnSignature(block, ANTHROPIC);
      if (signature !== undefined) return { type: 'thinking', thinking: block.textContent, signature };
      return { type: 'text', text: `<thinking>\n${block.textContent}\n</thinking>` };
    }
    case 'tool_use':
    case 'web_search_use':
      return useBlock(block);
    case 'tool_result':
      return resultBlock(block);
    case 'image':
    case 'document':
      return { type: block.blockType, source: sourceOf(block) };
  }
}

function useBlock(block: ToolUseBlock): JsonObject {
  const { toolUseId: id, toolName, input } = block;
  const isProviderRun = block.blockType === 'web_search_use' || block.executionSide === 'provider';
  const name = isProviderRun ? toolName : toWireName(toolName);
  return { type: isProviderRun ? 'server_tool_use' : 'tool_use', id, name, input: parseCallArguments(input) };
}

function resultBlock(block: ToolResultBlock): JsonObject {
  const { toolUseId: tool_use_id, toolName, isError, executionSide, results, errorCode } = block;
  if (executionSide === 'provider' && toolName === 'web_search') {
    const content = isError
      ? { type: 'web_search_tool_result_error', error_code: errorCode ?? 'unavailable' }
      : (results ?? []).map(({ title, url, pageAge }) => ({
          type: 'web_search_result',
          title,
          url,
          ...(pageAge !== undefined && { page_age: pageAge }),
        }));
    return { type: 'web_search_tool_result', tool_use_id, content };
  }
  const content = toolResultText(block);
  return { type: 'tool_result', tool_use_id, content, ...(isError && { is_error: true }) };
}

function sourceOf(block: Extract<Block, { blockType: 'image' | 'document' }>): JsonObject {
  const { data, uri, mimeType } = block;
  if (data !== undefined) return { type: 'base64', media_type: mimeType, data };
  return { type: 'url', url: uri ?? '' };
}
