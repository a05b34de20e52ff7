// Errors of the REST surface: `{error: {code, message, status}}`, as Google's services answer them.

import { asStatusError, StatusError, status } from '../protocol/status.ts';

/** An error whose HTTP status is not that of its code. */
export class HttpError extends StatusError {
  readonly httpStatus: number;

  constructor(httpStatus: number, code: number, details: string) {
    super(code, details);
    this.httpStatus = httpStatus;
  }
}

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto */
const HTTP_STATUS: Record<keyof typeof status, number> = {
  OK: 200,
  CANCELLED: 499,
  UNKNOWN: 500,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  FAILED_PRECONDITION: 400,
  ABORTED: 409,
  OUT_OF_RANGE: 400,
  UNIMPLEMENTED: 501,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DATA_LOSS: 500,
  UNAUTHENTICATED: 401,
};

/** The response to a failed request. It has no stack trace. */
export function errorAnswer(thrown: unknown): { status: number; json: object } {
  const error = asStatusError(thrown);
  const names = Object.keys(status) as (keyof typeof status)[];
  const name = names.find((each) => status[each] === error.code) ?? 'UNKNOWN';
  const code = error instanceof HttpError ? error.httpStatus : HTTP_STATUS[name];
  return { status: code, json: { error: { code, message: error.details, status: name } } };
}
