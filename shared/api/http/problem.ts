// The responses to failed requests: problem details (RFC 9457) with the codes of docs/errors.md.

import { type ErrorCode, InquestError, RetryableError } from '../../core/errors.ts';

/** An invalid part of a request. */
export interface Fault {
  /** The place: `body.text`, `query.limit`. */
  field: string;
  /** The fault and the fix. */
  message: string;
}

/** Operations that resolve a problem, by their ids in the OpenAPI document. */
export const REMEDIES = ['cancelSession', 'startSession', 'tellSession'] as const;

/** An operation that resolves a problem. */
export type Remedy = (typeof REMEDIES)[number];

/** Ends the detail of a problem that can be gone at the next attempt. */
export const SEND_AGAIN = 'Send the request again.';

/** The body of the response, as `application/problem+json`. */
export interface ProblemDetails {
  /** Always `about:blank`: `code` identifies the problem. */
  type: string;
  /** A sentence for all problems with this code. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** The fault of this request and the fix, without secrets. */
  detail: string;
  /** One of docs/errors.md; `INTERNAL` for an error without a code. */
  code: ErrorCode;
  /** The operation on the same session that resolves the problem. Absent if there is none. */
  remedy?: Remedy;
  /** At most 20 faults, one for each field. Absent if there is none. */
  errors?: Fault[];
}

/** Status and title of the errors that callers see. Any other code is an internal error. */
const KINDS = {
  REQUEST_INVALID: [400, 'The request is invalid'],
  ALERT_EMPTY: [400, 'The alert is empty'],
  ALERT_INVALID: [400, 'The alert is invalid'],
  CHANGE_UNKNOWN: [400, 'No adapter reads the change'],
  CONFIG_UNKNOWN_CHAIN: [400, 'The chain does not exist'],
  LOGIN_REQUIRED: [401, 'The request names no caller'],
  SIGNATURE_INVALID: [401, 'The request does not prove its source'],
  ACCESS_DENIED: [403, 'The caller has no access'],
  NOT_FOUND: [404, 'The address or the object does not exist'],
  SESSION_UNKNOWN: [404, 'The session does not exist'],
  METHOD_NOT_ALLOWED: [405, 'The address does not support this method'],
  REQUEST_TOO_SLOW: [408, 'The request did not arrive in time'],
  KEY_TAKEN: [409, 'The key is taken'],
  KEY_REUSED: [409, 'The key was sent with another request'],
  REQUEST_RUNNING: [409, 'The same request is running'],
  SESSION_BUSY: [409, 'The session answers another question'],
  DOCUMENT_INVALID: [409, 'A stored document cannot be read'],
  SCHEMA_TOO_NEW: [409, 'A stored document was written by newer code'],
  SCHEMA_UNSUPPORTED: [409, 'A stored document cannot be read'],
  SESSION_STATE: [409, 'The state of the session does not permit this'],
  ALERT_TOO_LARGE: [413, 'The alert is too large'],
  REQUEST_TOO_LARGE: [413, 'The request is too large'],
  ENCODING_UNSUPPORTED: [415, 'The encoding of the body is not supported'],
  BUDGET_REACHED: [429, 'A budget is used up'],
  RATE_LIMITED: [429, 'Too many requests'],
  ANSWER_FAILED: [502, 'The question was not answered'],
  API_BUSY: [503, 'The API receives too many requests at the same time'],
  PUBLISH_FAILED: [503, 'Pub/Sub did not accept a message'],
  SOURCE_UNAVAILABLE: [503, 'The source of the webhook did not answer'],
  STORE_CONFLICT: [503, 'Other requests kept changing the same document'],
  STORE_UNAVAILABLE: [503, 'The database did not answer'],
} as const satisfies Partial<Record<ErrorCode, readonly [number, string]>>;

/** A code that a response of the API can have. */
export type ProblemCode = keyof typeof KINDS;

/** Codes of unreadable documents: the same request fails again. */
const UNREADABLE = new Set<ErrorCode>(['DOCUMENT_INVALID', 'SCHEMA_TOO_NEW', 'SCHEMA_UNSUPPORTED']);

const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(KINDS, code);

/** A refused request. It changed nothing, unless the description of the route states otherwise. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: Fault[];
  /** Seconds after which the same request can succeed; undefined if waiting does not help. */
  readonly retryAfter: number | undefined;
  /** The operation that resolves the problem; undefined if there is none. */
  readonly remedy: Remedy | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    { errors = [], retryAfter, remedy }: { errors?: Fault[]; retryAfter?: number; remedy?: Remedy } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = errors;
    this.retryAfter = retryAfter;
    this.remedy = remedy;
    this.name = new.target.name;
  }
}

/** The problem of a request with one invalid field. */
export function invalidField(field: string, message: string): Problem {
  return new Problem('REQUEST_INVALID', `${field}: ${message}`, { errors: [{ field, message }] });
}

/** The HTTP status of a code. */
export function toHttpStatus(code: ProblemCode): number {
  return KINDS[code][0];
}

/**
 * The response to an error. Internal errors get a generic message.
 * @param mask removes secrets, which a request can contain in any field.
 */
export function problemDetails(error: unknown, mask: (text: string) => string): ProblemDetails {
  const details = unmaskedDetails(error);
  const errors = details.errors?.map(({ field, message }) => ({
    field: mask(field),
    message: mask(message),
  }));
  return { ...details, detail: mask(details.detail), ...(errors && { errors }) };
}

function unmaskedDetails(error: unknown): ProblemDetails {
  if (error instanceof Problem) return composeProblemDetails(error.code, error.message, error);
  if (error instanceof InquestError && isProblemCode(error.code)) {
    const isForLater = error instanceof RetryableError && !UNREADABLE.has(error.code);
    const again = isForLater ? ` ${SEND_AGAIN}` : '';
    return composeProblemDetails(error.code, `${error.message}${again}`);
  }
  return {
    type: 'about:blank',
    title: 'The system failed',
    status: 500,
    detail: 'The log of `api` has the reason.',
    code: error instanceof InquestError ? error.code : 'INTERNAL',
  };
}

/** Whether a problem is logged for operators: an internal error, or an unreadable stored document. */
export function isForLog({ status, code }: ProblemDetails): boolean {
  // A full instance is no failure, and many such lines would hide failures.
  return (status >= 500 && code !== 'API_BUSY') || UNREADABLE.has(code);
}

/** The problem of a response body that `problemDetails` made. */
export function parseProblemBody(body: string): Problem {
  const { code, detail, ...rest } = JSON.parse(body) as ProblemDetails;
  return new Problem(isProblemCode(code) ? code : 'REQUEST_INVALID', detail, rest);
}

function composeProblemDetails(
  code: ProblemCode,
  detail: string,
  { errors = [], remedy }: Partial<Pick<Problem, 'errors' | 'remedy'>> = {},
): ProblemDetails {
  const [status, title] = KINDS[code];
  const base = { type: 'about:blank', title, status, detail, code };
  return { ...base, ...(remedy && { remedy }), ...(errors.length > 0 && { errors }) };
}
