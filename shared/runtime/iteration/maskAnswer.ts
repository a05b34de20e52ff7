// Takes secrets and hidden characters out of a model's answer before anything reads or stores it.

import type { LlmResponse } from '../../contract/llm.ts';
import type { Masker } from '../../masking/masker.ts';
import { rangeMover } from '../../text/moveRange.ts';
import { visible } from '../../text/visible.ts';
import { cleanBlock } from './cleanBlock.ts';
import { cleanSources, type TextCleaner } from './cleanSources.ts';

/** An answer without its secrets. */
export interface MaskedAnswer {
  response: LlmResponse;
  /** What was found in the visible text, by kind. */
  kindsInText: readonly string[];
}

/**
 * The answer without secrets, as people can read it: its text, calls and code, and what it says of its sources. Offsets
 * follow the text; those of which that cannot be said for sure are left out. What the provider gets back of it (`replay`)
 * stays byte for byte, or is left out if a secret was found anywhere: then the conversation goes on from the blocks.
 */
export function maskAnswer(response: LlmResponse, masker: Masker): MaskedAnswer {
  let secrets = 0;
  const mask = (text: string): string => {
    const masked = masker.mask(text);
    secrets += masked.count;
    return masked.text;
  };
  const cleaner: TextCleaner = { mask, clean: (text) => visible(mask(text)) };
  const { clean } = cleaner;
  const { replay, ...rest } = response;
  const { text: maskedText, count, kinds } = masker.mask(response.text);
  secrets += count;
  const text = visible(maskedText);
  // Pieces are looked up, not stored: what is found in them counts no second time.
  const change = (piece: string) => visible(masker.mask(piece).text);
  const move = rangeMover({ before: response.text, after: text, change });
  const cleaned: LlmResponse = {
    ...rest,
    text,
    thinking: clean(response.thinking),
    finishMessage: response.finishMessage === null ? null : clean(response.finishMessage),
    searchEntryPoint: response.searchEntryPoint === null ? null : mask(response.searchEntryPoint),
    toolCalls: response.toolCalls.map((call) => ({
      ...call,
      name: mask(call.name),
      arguments: mask(call.arguments),
    })),
    blocks: response.blocks.map((block) => cleanBlock(block, cleaner, change)),
    ...cleanSources({ ...response, move }, cleaner),
    codeExecutions: response.codeExecutions.map((execution) => ({
      ...execution,
      ...(execution.code !== undefined && { code: clean(execution.code) }),
      ...(execution.result !== undefined && { result: clean(execution.result) }),
    })),
  };
  return {
    response: replay === undefined || secrets > 0 ? cleaned : { ...cleaned, replay },
    kindsInText: Object.keys(kinds),
  };
}
