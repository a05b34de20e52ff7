// Judges a collected answer: usable, cut short, or one of Gemini's empty answers with status 200.

import { asText, isObject } from '../../text/json.ts';
import { cutAnswer, emptyAnswer, type ModelFailure, modelFailure, quoteProvider } from '../failures.ts';
import type { CollectedAnswer } from './collectStream.ts';
import type { GeminiPart } from './content.ts';

/** The outcome of an answer: usable, or a failed attempt. */
type AnswerOutcome =
  /** Whole. */
  | { kind: 'ok' }
  /** Usable, but stopped by the output limit or, with `flagged`, by the provider for another reason. */
  | { kind: 'truncated' | 'flagged' }
  | ModelFailure;

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
/** CONTINUATION: a request's limit is reached, and no further piece was possible (collectPieces.ts). */
const LIMITS = new Set([
  ...['MAX_TOKENS', 'CONTINUATION'],
  // Statuses of interactions.
  ...['incomplete', 'budget_exceeded', 'requires_continuation'],
]);
const COMPLETE = new Set(['STOP', 'FINISH_REASON_UNSPECIFIED', 'completed', 'requires_action']);

interface ClassifyOptions {
  /**
   * Whether tools were bound. Where none were, no call is run whatever the answer holds, so a text beside a
   * call that went wrong is the answer. Default: true.
   */
  mayCall?: boolean;
  /** Takes secrets out of the provider's words, before they are cut. Default: none. */
  mask?: (text: string) => string;
}

type Say = (text: string) => string;

/**
 * The outcome of an answer. Finish reasons are an open set: an unknown one with text is usable, and flagged.
 */
export function classifyAnswer(
  answer: CollectedAnswer,
  { mayCall = true, mask = (text) => text }: ClassifyOptions = {},
): AnswerOutcome {
  const say: Say = (text) => quoteProvider(mask(text));
  const { finishReason, blockReason } = answer;
  if (blockReason !== null) {
    return modelFailure('blocked', `The model refused the prompt: ${say(blockReason)}.`);
  }
  if (answer.chunkCount === 0) return emptyAnswer('no data at all');
  if (finishReason === null) return cutAnswer();
  if (REFUSALS.has(finishReason)) return refusedAnswer(answer, finishReason, say);
  const hasText = answer.text.trim() !== '';
  if (hasText && !mayCall && isFaultyCall(answer, finishReason)) return { kind: 'flagged' };
  if (UNEXPECTED.has(finishReason)) return unexpectedCall(answer, finishReason, say);
  if (MALFORMED.has(finishReason) || answer.malformedCall) return malformedCall(answer, finishReason, say);

  // A call can have side effects: it is run only when the model meant to stop there.
  if (isAbandonedCall(answer, finishReason)) return abandonedCall(finishReason, say);

  const usable = hasText || answer.toolCalls.length > 0;
  if (usable) {
    if (COMPLETE.has(finishReason)) return { kind: 'ok' };
    return { kind: LIMITS.has(finishReason) ? 'truncated' : 'flagged' };
  }
  const media = mediaTypes(answer.parts);
  if (media.length > 0) return mediaOnly(media, say);
  if (LIMITS.has(finishReason)) {
    const message =
      'The output limit was reached before any answer: raise maxOutputTokens or lower thinkingLevel of the model.';
    return modelFailure('max_tokens', message);
  }
  return emptyAnswer(`no text and no tool call (finish reason ${say(finishReason)})`);
}

/** Whether an answer ended in a call that cannot be run. */
function isFaultyCall(answer: CollectedAnswer, finishReason: string): boolean {
  return (
    UNEXPECTED.has(finishReason) ||
    MALFORMED.has(finishReason) ||
    answer.malformedCall ||
    isAbandonedCall(answer, finishReason)
  );
}

function isAbandonedCall({ toolCalls }: CollectedAnswer, finishReason: string): boolean {
  return toolCalls.length > 0 && !COMPLETE.has(finishReason) && !LIMITS.has(finishReason);
}

/** Media types of an answer with only images or files, except thoughts and blank texts; else none. */
function mediaTypes(parts: readonly GeminiPart[]): string[] {
  const content = parts.filter((part) => part.thought !== true && typeof part.text !== 'string');
  const files = content.map((part) => [part.inlineData, part.fileData].find(isObject));
  if (files.includes(undefined)) return [];
  return [...new Set(files.map((file) => asText(file?.mimeType) ?? 'an unknown type'))];
}

function mediaOnly(types: readonly string[], say: Say): ModelFailure {
  const message =
    `The model answered with only images or files (${say(types.join(', '))}), but Inquest can use only text. ` +
    'Give the agent a model that answers with text, or ask for text in its instructions.';
  return modelFailure('media_only', message);
}

function refusedAnswer(answer: CollectedAnswer, reason: string, say: Say): ModelFailure {
  const partial = answer.text === '' ? '' : ` after ${answer.text.length} characters, which are not used`;
  const detail = answer.finishMessage === null ? '' : ` ${say(answer.finishMessage)}`;
  return modelFailure('refused', `The answer was stopped by a policy: ${reason}${partial}.${detail}`);
}

function malformedCall(answer: CollectedAnswer, reason: string, say: Say): ModelFailure {
  const detail = answer.finishMessage === null ? '' : ` It wrote: ${say(answer.finishMessage)}`;
  const message = `The model wrote a tool call that cannot be read (${say(reason)}).${detail}`;
  return modelFailure('malformed_call', message);
}

function abandonedCall(reason: string, say: Say): ModelFailure {
  const message = `The answer with the tool call ended abnormally (${say(reason)}). Nothing was executed.`;
  return modelFailure('malformed_call', message);
}

function unexpectedCall(answer: CollectedAnswer, reason: string, say: Say): ModelFailure {
  const names = answer.toolCalls.map((call) => `"${say(call.name)}"`).join(', ');
  const called = names === '' ? '' : `: ${names}`;
  const message = `The model called tools it was not offered${called} (${say(reason)}). Nothing was executed.`;
  return modelFailure('unexpected_tool_call', message);
}
