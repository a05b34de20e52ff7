// Converts a collected answer to the provider-independent form. Only its replay stays in Gemini's shapes.

import type { LlmResponse } from '../../core/contract/llm.ts';
import { readCitationSources } from './citationSources.ts';
import type { CollectedAnswer } from './collectStream.ts';
import { readGroundings, readSearchEntryPoint } from './grounding.ts';
import { blocksFromGemini } from './readAnswer.ts';
import { writeReplay } from './replay.ts';

/** Facts about an answer that its stream does not contain. */
interface FinishOptions {
  /** The model that was asked. Its family can read the replay. */
  model: string;
  /** Whether the provider stopped before the answer was whole. */
  truncated: boolean;
}

/** The answer for all above the clients. Groundings are read once here; without parts no replay. */
export function finishAnswer(answer: CollectedAnswer, { model, truncated }: FinishOptions): LlmResponse {
  const { text, thinking, toolCalls, parts, steps, codeExecutions } = answer;
  const { usage, finishReason, modelVersion, finishMessage } = answer;
  const groundings = readGroundings(answer);
  const citations = [
    ...groundings.flatMap((grounding) => grounding.citations),
    ...readCitationSources(answer),
  ];
  return {
    text,
    thinking,
    toolCalls,
    blocks: blocksFromGemini(answer, { groundings, citations }),
    ...((steps ?? parts).length > 0 && { replay: writeReplay(model, parts, steps) }),
    groundings,
    citations,
    codeExecutions,
    searchEntryPoint: readSearchEntryPoint(answer),
    usage,
    finishReason,
    modelVersion,
    finishMessage,
    truncated,
  };
}
