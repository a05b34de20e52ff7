// Masks secrets and makes hidden characters visible in a model's answer before anything reads or stores it.

import type { Masker } from '../../core/contract/guard.ts';
import type { LlmResponse } from '../../core/contract/llm.ts';
import { makeVisible } from '../../text/hiddenCharacters.ts';
import { rangeMover } from '../../text/moveRange.ts';
import { cleanText } from '../cleanText.ts';
import { maskArguments } from '../maskData.ts';
import { cleanBlock } from './cleanBlock.ts';
import { cleanSources, type TextCleaner } from './cleanSources.ts';

interface MaskedAnswer {
  /** The answer with marks in place of secrets, its offsets moved. */
  response: LlmResponse;
  /** The kinds of secrets in the visible text. */
  kindsInText: readonly string[];
}

/**
 * Masks the answer in all texts that people can read: its text, calls, code and sources. Offsets follow the
 * changed text; uncertain ones are removed. The form that is sent back to the provider (`replay`) stays
 * byte-identical, or is dropped if a secret was found anywhere: then later requests use the blocks.
 */
export function maskAnswer(response: LlmResponse, masker: Masker): MaskedAnswer {
  let secrets = 0;
  // Most texts of an answer occur twice: in the whole, and in its blocks.
  const known = new Map<string, string>();
  const mask = (text: string): string => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const masked = masker.mask(text);
    secrets += masked.count;
    known.set(text, masked.text);
    return masked.text;
  };
  const cleaner: TextCleaner = { mask, clean: (text) => makeVisible(mask(text)) };
  const { clean } = cleaner;
  const { replay, ...rest } = response;
  const { text: maskedText, count, kinds } = masker.mask(response.text);
  secrets += count;
  known.set(response.text, maskedText);
  const text = makeVisible(maskedText);
  // Pieces are looked up, not stored: their secrets are already counted.
  const change = (piece: string) => cleanText(masker, piece).text;
  const move = rangeMover({ before: response.text, after: text, change });
  const cleaned: LlmResponse = {
    ...rest,
    text,
    thinking: clean(response.thinking),
    finishMessage: response.finishMessage === null ? null : clean(response.finishMessage),
    finishReason: response.finishReason === null ? null : clean(response.finishReason),
    modelVersion: response.modelVersion === null ? null : clean(response.modelVersion),
    searchEntryPoint: response.searchEntryPoint === null ? null : mask(response.searchEntryPoint),
    toolCalls: response.toolCalls.map(({ callId, name, arguments: args }) => ({
      callId: mask(callId),
      name: mask(name),
      arguments: maskArguments(args, mask),
    })),
    blocks: response.blocks.map((block) => cleanBlock(block, cleaner, change)),
    ...cleanSources({ ...response, move }, cleaner),
    codeExecutions: response.codeExecutions.map(({ id, code, language, result, outcome }) => ({
      ...(id !== undefined && { id: mask(id) }),
      ...(code !== undefined && { code: clean(code) }),
      ...(language !== undefined && { language: clean(language) }),
      ...(result !== undefined && { result: clean(result) }),
      ...(outcome !== undefined && { outcome: clean(outcome) }),
    })),
  };
  return {
    response: replay === undefined || secrets > 0 ? cleaned : { ...cleaned, replay },
    kindsInText: Object.keys(kinds),
  };
}
