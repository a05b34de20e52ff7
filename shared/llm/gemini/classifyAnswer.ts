// Judges a collected answer: usable, cut short, or one of the ways in which Gemini answers nothing with status 200.

import { RetryableError, TerminalError } from '../../errors.ts';
import { quote } from '../../text/quote.ts';
import type { CollectedAnswer } from './collectStream.ts';

/** What an answer amounts to. `error` is what to throw when it cannot be used. */
export type AnswerOutcome =
  /** Whole. */
  | { kind: 'ok' }
  /** Usable, but stopped by the output limit or, with `flagged`, by the provider for another reason. */
  | { kind: 'truncated' | 'flagged' }
  /** Nothing to read and nothing to run. The same request tends to give the same emptiness. */
  | { kind: 'empty'; error: RetryableError }
  /** The stream ended without a finish reason. */
  | { kind: 'cut'; error: RetryableError }
  /** The output limit was used up by thinking. */
  | { kind: 'max_tokens'; error: RetryableError }
  /** A call that is not to be executed: the model has to be told. */
  | { kind: 'malformed_call' | 'unexpected_tool_call'; error: RetryableError }
  /** The prompt (`blocked`) or the answer (`refused`) was stopped by a policy. */
  | { kind: 'blocked' | 'refused'; error: TerminalError };

/** Finish reasons by which a policy stopped the answer. Partial text before them is not to be used. */
const REFUSALS = new Set([
  'SAFETY',
  'RECITATION',
  'PROHIBITED_CONTENT',
  'SPII',
  'BLOCKLIST',
  'LANGUAGE',
  'MODEL_ARMOR',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);
const MALFORMED = new Set(['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE']);
const UNEXPECTED = new Set(['UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS']);
/** CONTINUATION: the limit of one request is reached; we never ask for the continuation. */
const LIMITS = new Set(['MAX_TOKENS', 'CONTINUATION']);
const COMPLETE = new Set(['STOP', 'FINISH_REASON_UNSPECIFIED']);

/** Longest piece of a provider's sentence that goes into an error, in characters. */
const MAX_QUOTE = 500;

/** The outcome of an answer. Finish reasons are an open set: an unknown one with text is usable, and flagged. */
export function classifyAnswer(answer: CollectedAnswer): AnswerOutcome {
  const { finishReason, blockReason } = answer;
  if (blockReason !== null) {
    return {
      kind: 'blocked',
      error: new TerminalError(
        'MODEL_BLOCKED',
        `The model refused the prompt: ${quote(blockReason, MAX_QUOTE)}.`,
      ),
    };
  }
  if (answer.chunkCount === 0) return empty('no data at all');
  if (finishReason === null) {
    return {
      kind: 'cut',
      error: new RetryableError('MODEL_STREAM_CUT', 'The stream of the answer ended before the answer did.'),
    };
  }
  if (REFUSALS.has(finishReason)) return refused(answer, finishReason);
  if (UNEXPECTED.has(finishReason)) return unexpectedCall(answer, finishReason);
  if (MALFORMED.has(finishReason) || answer.malformedCall) return malformedCall(answer, finishReason);

  // A call may change the world: it is run only when the model meant to stop there.
  const stopped = COMPLETE.has(finishReason) || LIMITS.has(finishReason);
  if (answer.toolCalls.length > 0 && !stopped) return abandonedCall(finishReason);

  const usable = answer.text.trim() !== '' || answer.toolCalls.length > 0;
  if (usable) {
    if (COMPLETE.has(finishReason)) return { kind: 'ok' };
    return { kind: LIMITS.has(finishReason) ? 'truncated' : 'flagged' };
  }
  if (LIMITS.has(finishReason)) {
    const message =
      'The output limit was reached before any answer: raise maxOutputTokens or lower thinkingLevel of the model.';
    return { kind: 'max_tokens', error: new RetryableError('MODEL_TRUNCATED', message) };
  }
  return empty(`no text and no tool call (finish reason ${quote(finishReason, MAX_QUOTE)})`);
}

function empty(what: string): AnswerOutcome {
  return {
    kind: 'empty',
    error: new RetryableError('MODEL_EMPTY_ANSWER', `The model answered with ${what}.`),
  };
}

function refused(answer: CollectedAnswer, reason: string): AnswerOutcome {
  const partial = answer.text === '' ? '' : ` after ${answer.text.length} characters, which are not used`;
  const detail = answer.finishMessage === null ? '' : ` ${quote(answer.finishMessage, MAX_QUOTE)}`;
  return {
    kind: 'refused',
    error: new TerminalError(
      'MODEL_BLOCKED',
      `The answer was stopped by a policy: ${reason}${partial}.${detail}`,
    ),
  };
}

function malformedCall(answer: CollectedAnswer, reason: string): AnswerOutcome {
  const detail = answer.finishMessage === null ? '' : ` It wrote: ${quote(answer.finishMessage, MAX_QUOTE)}`;
  const message = `The model wrote a tool call that cannot be read (${quote(reason, MAX_QUOTE)}).${detail}`;
  return { kind: 'malformed_call', error: new RetryableError('MODEL_MALFORMED_CALL', message) };
}

function abandonedCall(reason: string): AnswerOutcome {
  const message = `The answer with the tool call ended abnormally (${quote(reason, MAX_QUOTE)}). Nothing was executed.`;
  return { kind: 'malformed_call', error: new RetryableError('MODEL_MALFORMED_CALL', message) };
}

function unexpectedCall(answer: CollectedAnswer, reason: string): AnswerOutcome {
  const names = answer.toolCalls.map((call) => `"${quote(call.name, MAX_QUOTE)}"`).join(', ');
  const called = names === '' ? '' : `: ${names}`;
  const message = `The model called tools it was not offered${called} (${quote(reason, MAX_QUOTE)}). Nothing was executed.`;
  return { kind: 'unexpected_tool_call', error: new RetryableError('MODEL_MALFORMED_CALL', message) };
}
