// Judges an answer that came through LangChain: usable, cut short, or one of the ways to answer nothing with status 200.

import { cutAnswer, emptyAnswer, type ModelFailure, modelFailure, quoteProvider } from '../failures.ts';
import type { CollectedChunks } from './collectChunks.ts';

/** What an answer amounts to: usable (with `truncated`, stopped by the provider before its end), or a failed attempt. */
export type ChunksOutcome = { kind: 'ok' | 'truncated' } | ModelFailure;

/** Finish reasons in lower case, as OpenAI, Anthropic, Mistral, Cohere, Ollama, Bedrock and Google spell them. */
const COMPLETE = new Set([
  'stop',
  'completed',
  'complete',
  'end_turn',
  'stop_sequence',
  'eos',
  'tool_calls',
  'tool_use',
]);
const LIMITS = new Set([
  'length',
  'max_tokens',
  'max_output_tokens',
  'model_length',
  'model_context_window_exceeded',
]);
const REFUSALS = new Set([
  'content_filter',
  'content_filtered',
  'guardrail_intervened',
  'refusal',
  'safety',
  'recitation',
  'prohibited_content',
  'spii',
  'blocklist',
  'error_toxic',
]);
/**
 * The outcome of an answer. Finish reasons are an open set: an unknown one with text is usable, and marked truncated.
 * @param scrub takes secrets out of the provider's words, before they are cut. Default: none.
 */
export function classifyChunks(
  answer: CollectedChunks,
  scrub: (text: string) => string = (text) => text,
): ChunksOutcome {
  const say = (text: string): string => quoteProvider(scrub(text));
  const { finishReason, refusal } = answer;
  if (answer.chunkCount === 0) return emptyAnswer('no data at all');
  if (refusal !== '') return refused(say(refusal));
  if (finishReason === null) return cutAnswer();
  const reason = finishReason.toLowerCase();
  if (REFUSALS.has(reason)) return refused(say(finishReason));
  if (answer.text.trim() !== '') return { kind: COMPLETE.has(reason) ? 'ok' : 'truncated' };
  if (LIMITS.has(reason)) {
    const message = 'The output limit was reached before any answer: raise maxOutputTokens of the model.';
    return modelFailure('max_tokens', message);
  }
  return emptyAnswer(`no text (finish reason ${say(finishReason)})`);
}

function refused(why: string): ModelFailure {
  return modelFailure('refused', `The answer was stopped by a policy: ${why}`);
}
