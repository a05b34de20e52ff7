// The kinds of failures of model calls, equal for all providers: error codes, and retryable ones.

import type { LlmResponse } from '../core/contract/llm.ts';
import { type ErrorCode, RetryableError, TerminalError } from '../core/errors.ts';
import { quoteText } from '../text/cut.ts';

/** The code of each kind, and whether another attempt can succeed. */
const KINDS = {
  /** The request cannot be sent, or the provider refuses it as it is. */
  bad_request: { code: 'MODEL_BAD_REQUEST', mayPass: false },
  /** A thought signature is missing or foreign: the history can be repaired. */
  signature: { code: 'MODEL_BAD_REQUEST', mayPass: false },
  /** The provider's package or the model's settings are wrong. */
  configuration: { code: 'CONFIG_INVALID', mayPass: false },
  credentials: { code: 'MODEL_CREDENTIALS', mayPass: false },
  unknown_model: { code: 'MODEL_UNKNOWN', mayPass: false },
  /** A quota that waiting a little does not refill. */
  quota: { code: 'MODEL_QUOTA', mayPass: false },
  rate_limit: { code: 'MODEL_QUOTA', mayPass: true },
  unavailable: { code: 'MODEL_UNAVAILABLE', mayPass: true },
  /** The connection could not be made. */
  network: { code: 'MODEL_UNAVAILABLE', mayPass: true },
  /** The stream broke or ended before the answer did, or brought an error. */
  cut: { code: 'MODEL_STREAM_CUT', mayPass: true },
  /** More bytes than are read of an answer. The same request tends to give as much, and is billed. */
  too_large: { code: 'MODEL_ANSWER_TOO_LARGE', mayPass: true },
  /** Nothing to read and nothing to run. The same request tends to give the same emptiness. */
  empty: { code: 'MODEL_EMPTY_ANSWER', mayPass: true },
  /** Only images or files. The same request tends to give them again, and they are billed. */
  media_only: { code: 'MODEL_EMPTY_ANSWER', mayPass: true },
  /** The output limit was used up by thinking. */
  max_tokens: { code: 'MODEL_TRUNCATED', mayPass: true },
  /** A call that cannot be read, or that the model did not mean to end with. */
  malformed_call: { code: 'MODEL_MALFORMED_CALL', mayPass: true },
  /** A call of a tool that was not offered. */
  unexpected_tool_call: { code: 'MODEL_MALFORMED_CALL', mayPass: true },
  /** The prompt was stopped by a policy. */
  blocked: { code: 'MODEL_BLOCKED', mayPass: false },
  /** The answer was stopped by a policy. */
  refused: { code: 'MODEL_BLOCKED', mayPass: false },
} as const satisfies Record<string, { code: ErrorCode; mayPass: boolean }>;

/** How an attempt failed; the field `what` of log entries. */
export type FailureKind = keyof typeof KINDS;

/** A failed attempt: its kind, and the error that is thrown after the last attempt. */
export interface ModelFailure {
  /** Decides whether the attempt is retried. */
  kind: FailureKind;
  /** Retryable if a later attempt can succeed, else terminal. Its message contains no secret. */
  error: TerminalError | RetryableError;
}

/** How one attempt ended. */
export type AttemptOutcome =
  | { kind: 'answer'; response: LlmResponse }
  | { kind: 'failure'; failure: ModelFailure };

interface FailureDetails {
  /** The original error; only one without secrets is allowed. */
  cause?: unknown;
  /** How long the provider asks to wait, in milliseconds; dropped where waiting does not help. */
  retryAfterMs?: number | undefined;
}

/** A failure of a kind: retryable if another attempt can succeed, else terminal. */
export function modelFailure(
  kind: FailureKind,
  message: string,
  { cause, retryAfterMs }: FailureDetails = {},
): ModelFailure {
  const { code, mayPass } = KINDS[kind];
  const options = cause === undefined ? {} : { cause };
  if (!mayPass) return { kind, error: new TerminalError(code, message, options) };
  return { kind, error: new RetryableError(code, message, { ...options, retryAfterMs }) };
}

/** An answer without content. @param what describes the data that arrived instead: `no data at all`. */
export function emptyAnswer(what: string): ModelFailure {
  return modelFailure('empty', `The model answered with ${what}.`);
}

/** An answer whose stream ended before it was complete. */
export function cutAnswer(): ModelFailure {
  return modelFailure('cut', 'The stream of the answer ended before the answer did.');
}

/** Longest piece of a provider's sentence that goes into an error, in characters. */
const MAX_QUOTE = 500;

/** A provider's words for an error, cut to 500 characters. */
export function quoteProvider(text: string): string {
  return quoteText(text, MAX_QUOTE, 'words');
}
