// Builds finished answers for tests.

import type { Block } from '../schema/block.ts';
import type { LlmResponse } from './llm.ts';

/** An answer with these fields. Blocks and citations derive from text, calls, groundings by default. */
export function answer(fields: Partial<LlmResponse> = {}): LlmResponse {
  const { text = '', toolCalls = [], groundings = [] } = fields;
  const said: Block[] = text === '' ? [] : [{ blockType: 'text', textContent: text }];
  const calls = toolCalls.map(
    (call): Block => ({
      blockType: 'tool_use',
      toolUseId: call.callId,
      toolName: call.name,
      input: call.arguments,
    }),
  );
  return {
    text,
    thinking: '',
    toolCalls,
    blocks: [...said, ...calls],
    groundings,
    citations: groundings.flatMap(({ citations }) => citations),
    codeExecutions: [],
    searchEntryPoint: null,
    usage: null,
    finishReason: 'STOP',
    modelVersion: null,
    finishMessage: null,
    truncated: false,
    ...fields,
  };
}

/** The grounding of a search for `x` that found nothing. */
export function emptySearch(): LlmResponse['groundings'][number] {
  return { kind: 'search', queries: ['x'], sources: [], supports: [], statuses: [], citations: [] };
}
