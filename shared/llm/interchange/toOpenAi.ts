// Converted messages as OpenAI's chat completions take them.

import { type Block, isOwnCall } from '../../core/schema/block.ts';
import { toolResultText } from '../../schema/toolResultText.ts';
import type { JsonObject } from '../../text/json.ts';
import type { PortableMessage } from '../blocks/portableMessage.ts';
import { toWireName } from '../wireNames.ts';

/** The request's messages, of messages that `convertForProvider` made for a model without own data. */
export function openAiMessages(messages: readonly PortableMessage[]): JsonObject[] {
  return messages.flatMap(({ role, blocks }): JsonObject[] => {
    const calls = blocks.filter(isOwnCall).map(({ toolUseId: id, toolName, input }) => ({
      id,
      type: 'function',
      function: { name: toWireName(toolName), arguments: input },
    }));
    const results = blocks
      .filter((block) => block.blockType === 'tool_result')
      .map((block) => ({ role: 'tool', tool_call_id: block.toolUseId, content: toolResultText(block) }));
    const parts = blocks.flatMap(toPart);
    const isText = parts.every(({ type }) => type === 'text');
    const content = isText ? parts.map(({ text }) => text).join('\n\n') : parts;
    const isEmpty = parts.length === 0 && calls.length === 0;
    const spoken = {
      role: role === 'tool' ? 'user' : role,
      content: parts.length === 0 ? null : content,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return isEmpty ? results : [...results, spoken];
  });
}

function toPart(block: Block): JsonObject[] {
  switch (block.blockType) {
    case 'text':
      return [{ type: 'text', text: block.textContent }];
    case 'thinking':
      return [{ type: 'text', text: `<thinking>\n${block.textContent}\n</thinking>` }];
    case 'image': {
      const { data, uri, mimeType } = block;
      return [{ type: 'image_url', image_url: { url: uri ?? `data:${mimeType};base64,${data ?? ''}` } }];
    }
    case 'document': {
      const { data, uri, title, mimeType } = block;
      const file = {
        filename: title ?? uri ?? 'document',
        file_data: `data:${mimeType};base64,${data ?? ''}`,
      };
      return [{ type: 'file', file }];
    }
    default:
      return [];
  }
}
