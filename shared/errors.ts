// The two families of failure: terminal (record it, ack the message) and retryable (let Pub/Sub redeliver).
// They are told apart by class, never by text. Every code has a line in docs/errors.md.

/** Stable identifiers of what can go wrong; documents, logs and docs/errors.md use them. */
export const ERROR_CODES = [
  'ALERT_EMPTY',
  'ALERT_INVALID',
  'ALERT_RESOLVED',
  'ALERT_TOO_LARGE',
  'CONFIG_INVALID',
  'CONFIG_UNKNOWN_CHAIN',
  'CONFIG_UNKNOWN_SERVER',
  'CONFIG_UNKNOWN_STRATEGY',
  'DEADLINE_EXCEEDED',
  'CANCELLED',
  'DELIVERY_EXHAUSTED',
  'DOCUMENT_INVALID',
  'DOCUMENT_TOO_LARGE',
  'EXECUTION_BUSY',
  'EXECUTION_UNKNOWN',
  'EXECUTION_WAITING',
  'ITERATION_AHEAD',
  'ITERATION_TIMEOUT',
  'LEASE_LOST',
  'MAX_ITERATIONS',
  'MESSAGE_MALFORMED',
  'MESSAGE_SCHEMA_UNKNOWN',
  'MODEL_BAD_REQUEST',
  'MODEL_BLOCKED',
  'MODEL_CREDENTIALS',
  'MODEL_EMPTY_ANSWER',
  'MODEL_MALFORMED_CALL',
  'MODEL_QUOTA',
  'MODEL_STREAM_CUT',
  'MODEL_TIMEOUT',
  'MODEL_TRUNCATED',
  'MODEL_UNAVAILABLE',
  'MODEL_UNKNOWN',
  'PUBLISH_FAILED',
  'SCHEMA_TOO_NEW',
  'SCHEMA_UNSUPPORTED',
  'STORE_CONFLICT',
  'STORE_UNAVAILABLE',
  'TOOL_SERVER_UNAVAILABLE',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Base of all errors this code throws on purpose. */
export abstract class InquestError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** Trying again cannot help: bad input, a blocked prompt, wrong credentials. It is recorded and the message is acked. */
export class TerminalError extends InquestError {}

/** Trying again may help. `retryAfterMs` is how long to wait at least, when known. */
export class RetryableError extends InquestError {
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(code, message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The text of any thrown value, for logs and documents. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
