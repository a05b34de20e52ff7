// What a request that fails is answered with: problem details (RFC 9457), with the codes of docs/errors.md.

import { type ErrorCode, InquestError, RetryableError } from '../errors.ts';

/** A part of a request that is wrong. */
interface Fault {
  /** Where: `body.text`, `query.limit`. */
  field: string;
  /** What is wrong, and the fix. */
  message: string;
}

/** The body of such an answer, as `application/problem+json`. */
export interface ProblemDetails {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  errors?: Fault[];
}

/** Status and title of what callers may see. Any other code is a fault of the system. */
const KINDS = {
  REQUEST_INVALID: [400, 'The request is not as it should be'],
  ALERT_EMPTY: [400, 'The alert is empty'],
  ALERT_INVALID: [400, 'This is no alert'],
  CONFIG_UNKNOWN_CHAIN: [400, 'There is no such chain'],
  LOGIN_REQUIRED: [401, 'Nobody is named who asks'],
  SIGNATURE_INVALID: [401, 'The request does not prove where it comes from'],
  ACCESS_DENIED: [403, 'The request is not let through'],
  NOT_FOUND: [404, 'There is nothing at this address'],
  SESSION_UNKNOWN: [404, 'There is no such session'],
  METHOD_NOT_ALLOWED: [405, 'This method is not for this address'],
  REQUEST_TOO_SLOW: [408, 'The request did not arrive in time'],
  KEY_TAKEN: [409, 'The key is taken'],
  KEY_REUSED: [409, 'The key was sent with another request'],
  REQUEST_RUNNING: [409, 'The same request is being done'],
  SESSION_BUSY: [409, 'The session answers another question'],
  DOCUMENT_INVALID: [409, 'A stored document cannot be read'],
  SCHEMA_TOO_NEW: [409, 'A stored document is of newer code'],
  SCHEMA_UNSUPPORTED: [409, 'A stored document cannot be read'],
  SESSION_STATE: [409, 'The session is in no state for that'],
  ALERT_TOO_LARGE: [413, 'The alert is too large'],
  REQUEST_TOO_LARGE: [413, 'The request is too large'],
  BUDGET_REACHED: [429, 'A budget is used up'],
  RATE_LIMITED: [429, 'Too many requests'],
  ANSWER_FAILED: [502, 'The question was not answered'],
  API_BUSY: [503, 'The API receives too much at the same time'],
  PUBLISH_FAILED: [503, 'Pub/Sub did not take a message'],
  SOURCE_UNAVAILABLE: [503, 'The source of the webhook did not answer'],
  STORE_CONFLICT: [503, 'Others kept changing the same'],
  STORE_UNAVAILABLE: [503, 'The database did not answer'],
} as const satisfies Partial<Record<ErrorCode, readonly [number, string]>>;

/** A code that an answer of the API may have. */
export type ProblemCode = keyof typeof KINDS;

/** What makes one document unreadable: sending the request again changes nothing. */
const UNREADABLE = new Set<ErrorCode>(['DOCUMENT_INVALID', 'SCHEMA_TOO_NEW', 'SCHEMA_UNSUPPORTED']);

const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(KINDS, code);

/** Why a request is not done. Nothing was changed, unless its description says so. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: Fault[];
  /** Seconds after which the same request may be done; undefined where time changes nothing. */
  readonly retryAfter: number | undefined;

  constructor(code: ProblemCode, detail: string, errors: Fault[] = [], retryAfter?: number) {
    super(detail);
    this.code = code;
    this.errors = errors;
    this.retryAfter = retryAfter;
    this.name = new.target.name;
  }
}

/** The status that a problem is answered with. */
export function statusOf(code: ProblemCode): number {
  return KINDS[code][0];
}

/**
 * The answer for an error. What is nobody's business is said in general words.
 * @param mask takes out the secrets that a request may have held where they do not belong.
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
  if (error instanceof Problem) return detailsOf(error.code, error.message, error.errors);
  if (error instanceof InquestError && isProblemCode(error.code)) {
    const isForLater = error instanceof RetryableError && !UNREADABLE.has(error.code);
    const again = isForLater ? ' Send the request again.' : '';
    return detailsOf(error.code, `${error.message}${again}`);
  }
  return {
    type: 'about:blank',
    title: 'The system failed',
    status: 500,
    detail: 'The log of `api` says why.',
    code: error instanceof InquestError ? error.code : 'INTERNAL',
  };
}

/** Whether a problem is for the log of operators: the system failed, or a stored document cannot be read. */
export function isForLog({ status, code }: ProblemDetails): boolean {
  // A full instance is no failure, and a flood of such lines would hide those that are.
  return (status >= 500 && code !== 'API_BUSY') || UNREADABLE.has(code);
}

/** The problem that an answer was, as `problemDetails` gave it. */
export function problemOf(body: string): Problem {
  const { code, detail, errors } = JSON.parse(body) as ProblemDetails;
  return new Problem(isProblemCode(code) ? code : 'REQUEST_INVALID', detail, errors);
}

function detailsOf(code: ProblemCode, detail: string, errors: Fault[] = []): ProblemDetails {
  const [status, title] = KINDS[code];
  return { type: 'about:blank', title, status, detail, code, ...(errors.length > 0 && { errors }) };
}
