// Judges an answer of LangChain: usable, cut short, or an empty one with status 200.

import { parseJson } from '../../text/json.ts';
import { cutAnswer, emptyAnswer, type ModelFailure, modelFailure, quoteProvider } from '../failures.ts';
import { isNamed } from './boundTools.ts';
import type { CollectedChunks } from './collectChunks.ts';

/** The outcome of an answer: usable (`truncated`: stopped before its end), or a failed attempt. */
type ChunksOutcome = { kind: 'ok' | 'truncated' } | ModelFailure;

/** Finish reasons in lower case of OpenAI, Anthropic, Mistral, Cohere, Ollama, Bedrock and Google. */
const COMPLETE = new Set([
  'stop',
  'completed',
  'complete',
  'end_turn',
  'stop_sequence',
  'eos',
  'tool_calls',
  'tool_use',
  'tool_call',
  'function_call',
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

interface ClassifyOptions {
  /** Whether tools were bound. Otherwise no call is run: a text beside it is the answer. Default: false. */
  mayCall?: boolean;
  /** Takes secrets out of the provider's words, before they are cut. Default: none. */
  mask?: (text: string) => string;
}

/** The outcome of an answer. An unknown finish reason with text is usable, and marked truncated. */
export function classifyChunks(
  answer: CollectedChunks,
  { mayCall = false, mask = (text) => text }: ClassifyOptions = {},
): ChunksOutcome {
  const say = (text: string): string => quoteProvider(mask(text));
  const { finishReason, refusal } = answer;
  if (answer.chunkCount === 0) return emptyAnswer('no data at all');
  if (refusal !== '') return refusedAnswer(say(refusal));
  if (finishReason === null) return cutAnswer();
  const reason = finishReason.toLowerCase();
  if (REFUSALS.has(reason)) return refusedAnswer(say(finishReason));
  if (answer.calls.length > 0 && (mayCall || answer.text.trim() === ''))
    return judgeCalls(answer, reason, mayCall, say);
  if (answer.text.trim() !== '') return { kind: COMPLETE.has(reason) ? 'ok' : 'truncated' };
  if (LIMITS.has(reason)) {
    const message = 'The output limit was reached before any answer: raise maxOutputTokens of the model.';
    return modelFailure('max_tokens', message);
  }
  return emptyAnswer(
    `${mayCall ? 'no text and no tool call' : 'no text'} (finish reason ${say(finishReason)})`,
  );
}

/**
 * A call can have side effects: none is run unless all are whole, and the model meant to stop there. A call
 * without a usable name has none: it does not keep those beside it from running.
 */
function judgeCalls(
  { calls }: CollectedChunks,
  reason: string,
  mayCall: boolean,
  say: (text: string) => string,
): ChunksOutcome {
  const names = calls.map(({ name }) => `"${say(name)}"`).join(', ');
  if (!mayCall) {
    const message = `The model called tools it was not offered: ${names}. Nothing was executed.`;
    return modelFailure('unexpected_tool_call', message);
  }
  if (!COMPLETE.has(reason)) {
    const message = `The answer with the tool call ended before it was complete (${say(reason)}). Nothing was executed.`;
    return modelFailure('malformed_call', message);
  }
  const named = calls.filter(isNamed);
  if (named.length === 0) {
    const message =
      'The model wrote a tool call without the name of a tool. Nothing was executed. Call one of the tools by its name.';
    return modelFailure('malformed_call', message);
  }
  const broken = named.find(({ args }) => args.trim() !== '' && parseJson(args) === undefined);
  if (broken === undefined) return { kind: 'ok' };
  const message = `The model wrote a tool call that cannot be read: the arguments of "${say(broken.name)}" are no JSON. Nothing was executed.`;
  return modelFailure('malformed_call', message);
}

function refusedAnswer(why: string): ModelFailure {
  return modelFailure('refused', `The answer was stopped by a policy: ${why}`);
}
