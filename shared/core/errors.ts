// The two families of errors: terminal (recorded, and the message is acked) and retryable (Pub/Sub
// redelivers). Code distinguishes them by class, never by text. Every error code has a line in
// docs/errors.md.

/** All error codes. They are stable, because documents, logs and docs/errors.md use them. */
export const ERROR_CODES = [
  'ACCESS_DENIED',
  'ACTION_COPIED',
  'ALERT_EMPTY',
  'ALERT_INVALID',
  'ALERT_RESOLVED',
  'ALERT_TOO_LARGE',
  'ANSWER_COPIED',
  'ANSWER_FAILED',
  'API_BUSY',
  'APPROVAL_INVALID',
  'BUDGET_REACHED',
  'CANCELLED',
  'CASE_INVALID',
  'CHANGE_UNKNOWN',
  'CONFIG_INVALID',
  'CONFIG_UNKNOWN_AGENT',
  'CONFIG_UNKNOWN_CHAIN',
  'CONFIG_UNKNOWN_SERVER',
  'CONFIG_UNKNOWN_STRATEGY',
  'DEADLINE_EXCEEDED',
  'DELIVERY_EXHAUSTED',
  'DOCUMENT_INVALID',
  'DOCUMENT_TOO_LARGE',
  'EXECUTION_BUSY',
  'EXECUTION_UNKNOWN',
  'EXECUTION_WAITING',
  'INTERNAL',
  'ITERATION_AHEAD',
  'ITERATION_TIMEOUT',
  'KEY_REUSED',
  'KEY_TAKEN',
  'LEASE_LOST',
  'LOGIN_REQUIRED',
  'MAX_ITERATIONS',
  'MESSAGE_MALFORMED',
  'MESSAGE_SCHEMA_UNKNOWN',
  'METHOD_NOT_ALLOWED',
  'MODEL_ANSWER_TOO_LARGE',
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
  'NOT_FOUND',
  'OUTPUT_INVALID',
  'PUBLISH_DENIED',
  'PUBLISH_FAILED',
  'PUBLISH_UNAUTHENTICATED',
  'QUOTA_REACHED',
  'RATE_LIMITED',
  'REQUEST_INVALID',
  'REQUEST_RUNNING',
  'ENCODING_UNSUPPORTED',
  'REQUEST_TOO_LARGE',
  'REQUEST_TOO_SLOW',
  'SCHEMA_TOO_NEW',
  'SCHEMA_UNSUPPORTED',
  'SESSION_BUSY',
  'SESSION_STATE',
  'SESSION_UNKNOWN',
  'SIGNATURE_INVALID',
  'SOURCE_UNAVAILABLE',
  'STORE_CONFLICT',
  'STORE_DENIED',
  'STORE_UNAUTHENTICATED',
  'STORE_UNAVAILABLE',
  'TAINT_BLOCKED',
  'TOOL_SERVER_UNAVAILABLE',
] as const;

/** A stable error code. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Base class of all errors that this code throws intentionally. */
export abstract class InquestError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** A retry cannot help: bad input, a blocked prompt, wrong credentials. The message is acknowledged. */
export class TerminalError extends InquestError {}

/** A retry can help. `retryAfterMs` is the minimum delay in milliseconds, if known. */
export class RetryableError extends InquestError {
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(code, message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Whether a store's failure can be temporary. Invalid and newer documents fail permanently. */
export const isStoreFailure = (error: unknown): boolean =>
  error instanceof RetryableError && ['STORE_UNAVAILABLE', 'STORE_CONFLICT'].includes(error.code);

/** The text of any thrown value, for logs and documents. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message of an error's cause, else of the error: the cause of `fetch` has the reason of a failure. */
export function describeCause(error: unknown): string {
  return errorMessage(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
