// Takes secrets and hidden characters out of a model's answer before anything reads or stores it.

import type { LlmResponse } from '../../contract/llm.ts';
import type { Masker } from '../../masking/masker.ts';
import { visible } from '../../text/visible.ts';

/**
 * The answer without secrets, as people can read it. What the provider gets back of it (`replay`) stays byte for byte, or
 * is left out if a secret was found anywhere: then the conversation goes on from the blocks.
 */
export function maskAnswer(response: LlmResponse, masker: Masker): LlmResponse {
  let secrets = 0;
  const mask = (text: string): string => {
    const masked = masker.mask(text);
    secrets += masked.count;
    return masked.text;
  };
  const clean = (text: string) => visible(mask(text));
  const { replay, ...rest } = response;
  const cleaned: LlmResponse = {
    ...rest,
    text: clean(response.text),
    thinking: clean(response.thinking),
    finishMessage: response.finishMessage === null ? null : clean(response.finishMessage),
    toolCalls: response.toolCalls.map((call) => ({ ...call, arguments: mask(call.arguments) })),
    blocks: response.blocks.map((block) => {
      if ('textContent' in block) return { ...block, textContent: clean(block.textContent) };
      return block.blockType === 'tool_use' ? { ...block, input: mask(block.input) } : block;
    }),
    codeExecutions: response.codeExecutions.map((execution) => ({
      ...execution,
      ...(execution.code !== undefined && { code: clean(execution.code) }),
      ...(execution.result !== undefined && { result: clean(execution.result) }),
    })),
  };
  return replay === undefined || secrets > 0 ? cleaned : { ...cleaned, replay };
}
