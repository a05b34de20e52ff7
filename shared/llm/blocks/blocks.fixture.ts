// Blocks as tests write them, and answers as the collector gives them.

import type { Block, BlockOf } from '../../core/schema/block.ts';
import { type CollectedAnswer, collectChunks } from '../gemini/collectStream.ts';
import type { PortableMessage } from './portableMessage.ts';

/** An answer of one chunk. */
export function answerOf(parts: unknown[], candidate: object = {}): CollectedAnswer {
  const chunk = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', ...candidate }] };
  return collectChunks([chunk], { callIdPrefix: 'call-' });
}

export function text(textContent: string, fields: Partial<BlockOf<'text'>> = {}): Block {
  return { blockType: 'text', textContent, ...fields };
}

export function thinking(textContent: string, fields: Partial<BlockOf<'thinking'>> = {}): Block {
  return { blockType: 'thinking', textContent, ...fields };
}

/** A call the runtime carries out. */
export function use(toolUseId: string, fields: Partial<BlockOf<'tool_use'>> = {}): Block {
  return { blockType: 'tool_use', toolUseId, toolName: 'k8s.logs', input: '{"pod":"api"}', ...fields };
}

export function result(toolUseId: string, fields: Partial<BlockOf<'tool_result'>> = {}): Block {
  return {
    blockType: 'tool_result',
    toolUseId,
    toolName: 'k8s.logs',
    isError: false,
    textContent: 'log line',
    ...fields,
  };
}

/** A search that Anthropic ran. */
export function search(toolUseId: string, fields: Partial<BlockOf<'tool_use'>> = {}): Block {
  return use(toolUseId, {
    toolName: 'web_search',
    input: '{}',
    executionSide: 'provider',
    provider: 'anthropic',
    ...fields,
  });
}

export function found(toolUseId: string, fields: Partial<BlockOf<'tool_result'>> = {}): Block {
  return result(toolUseId, {
    toolName: 'web_search',
    textContent: '',
    executionSide: 'provider',
    provider: 'anthropic',
    results: [{ title: 'A', url: 'https://a.example' }],
    ...fields,
  });
}

export function assistant(...blocks: Block[]): PortableMessage {
  return { role: 'assistant', blocks };
}

export function user(...blocks: Block[]): PortableMessage {
  return { role: 'user', blocks };
}

/** Messages in short: `a[…]`, `u[…]`, with text as it is and other blocks as type and id. */
export function outline(messages: readonly PortableMessage[]): string[] {
  return messages.map(({ role, blocks }) => `${role[0]}[${blocks.map(inShort).join(' | ')}]`);
}

function inShort(block: Block): string {
  if (block.blockType === 'text') return block.textContent;
  if (block.blockType === 'thinking') return `th:${block.textContent}`;
  return 'toolUseId' in block ? `${block.blockType}:${block.toolUseId}` : block.blockType;
}
