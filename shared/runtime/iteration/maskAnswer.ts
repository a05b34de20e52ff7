// Takes secrets and hidden characters out of a model's answer before anything reads or stores it.

import type { LlmResponse } from '../../contract/llm.ts';
import type { Masker } from '../../masking/masker.ts';
import { visible } from '../../text/visible.ts';
import { maskArguments, maskBlock } from './maskBlock.ts';

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
    finishReason: response.finishReason === null ? null : clean(response.finishReason),
    modelVersion: response.modelVersion === null ? null : clean(response.modelVersion),
    toolCalls: response.toolCalls.map(({ callId, name, arguments: args }) => ({
      callId: mask(callId),
      name: mask(name),
      arguments: maskArguments(args, mask),
    })),
    blocks: response.blocks.map((block) => maskBlock(block, { mask, clean })),
    codeExecutions: response.codeExecutions.map(({ id, code, language, result, outcome }) => ({
      ...(id !== undefined && { id: mask(id) }),
      ...(code !== undefined && { code: clean(code) }),
      ...(language !== undefined && { language: clean(language) }),
      ...(result !== undefined && { result: clean(result) }),
      ...(outcome !== undefined && { outcome: clean(outcome) }),
    })),
  };
  return replay === undefined || secrets > 0 ? cleaned : { ...cleaned, replay };
}
