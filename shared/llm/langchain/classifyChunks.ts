// Judges an answer that came through LangChain: usable, cut short, or one of the ways to answer nothing with status 200.

import { RetryableError, TerminalError } from '../../errors.ts';
import { quote } from '../../text/quote.ts';
import type { CollectedChunks } from './collectChunks.ts';

/** What an answer amounts to. `error` is what to throw when it cannot be used. */
export type ChunksOutcome =
  /** `truncated`: usable, but the provider stopped it before its end. */
  | { kind: 'ok' | 'truncated' }
  /** Nothing to read, no finish reason, or an output limit used up by thinking. */
  | { kind: 'empty' | 'cut' | 'max_tokens'; error: RetryableError }
  | { kind: 'refused'; error: TerminalError };

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
/** Longest piece of a provider's text that goes into an error, in characters. */
const MAX_QUOTE = 500;

/** The outcome of an answer. Finish reasons are an open set: an unknown one with text is usable, and marked truncated. */
export function classifyChunks(answer: CollectedChunks): ChunksOutcome {
  const { finishReason, refusal } = answer;
  if (answer.chunkCount === 0) return empty('no data at all');
  if (refusal !== '') return refused(quote(refusal, MAX_QUOTE));
  if (finishReason === null) {
    return {
      kind: 'cut',
      error: new RetryableError('MODEL_STREAM_CUT', 'The stream of the answer ended before the answer did.'),
    };
  }
  const reason = finishReason.toLowerCase();
  if (REFUSALS.has(reason)) return refused(quote(finishReason, MAX_QUOTE));
  if (answer.text.trim() !== '') return { kind: COMPLETE.has(reason) ? 'ok' : 'truncated' };
  if (LIMITS.has(reason)) {
    const message = 'The output limit was reached before any answer: raise maxOutputTokens of the model.';
    return { kind: 'max_tokens', error: new RetryableError('MODEL_TRUNCATED', message) };
  }
  return empty(`no text (finish reason ${quote(finishReason, MAX_QUOTE)})`);
}

function empty(what: string): ChunksOutcome {
  return {
    kind: 'empty',
    error: new RetryableError('MODEL_EMPTY_ANSWER', `The model answered with ${what}.`),
  };
}

function refused(why: string): ChunksOutcome {
  return {
    kind: 'refused',
    error: new TerminalError('MODEL_BLOCKED', `The answer was stopped by a policy: ${why}`),
  };
}
