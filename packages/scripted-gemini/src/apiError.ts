// Builds errors as the Gemini API sends them: a status, and a body with code, message, status and details.

import type { Failure } from './script.ts';

/** An error to send. `message` is also in the body. */
export interface ApiError {
  /** The status of the response. */
  httpStatus: number;
  /** One sentence, in the words of the API. */
  message: string;
  /** The JSON body: `{ error: { code, message, status, details } }`. */
  body: unknown;
}

const STATUS_NAMES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const USUAL_MESSAGES: Record<number, string> = {
  400: 'Request contains an invalid argument.',
  403: 'The caller does not have permission',
  429: 'You exceeded your current quota, please check your plan and billing details.',
  500: 'An internal error has occurred. Please retry.',
  503: 'The model is overloaded. Please try again later.',
  504: 'The request timed out. Please try again.',
};

/** An error of any status. `asArray` wraps the body in an array, as some of the API's are. */
export function apiError(
  httpStatus: number,
  message: string,
  options: { details?: unknown[]; asArray?: boolean } = {},
): ApiError {
  const error = { code: httpStatus, message, status: STATUS_NAMES[httpStatus] ?? 'UNKNOWN' };
  const body = { error: options.details?.length ? { ...error, details: options.details } : error };
  return { httpStatus, message, body: options.asArray ? [body] : body };
}

/** A 400 for a request that the API does not accept. */
export function invalidArgument(message: string, options: { asArray?: boolean } = {}): ApiError {
  return apiError(400, message, options);
}

/** The error for a failure with `status` in the script. */
export function scriptedError(httpStatus: number, failure: Failure): ApiError {
  const quota = failure.quotaId ?? 'GenerateRequestsPerMinutePerProjectPerModel';
  const details: unknown[] =
    httpStatus === 429
      ? [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: quota }] }]
      : [];
  if (failure.retryDelay !== undefined) {
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: failure.retryDelay });
  }
  const message = failure.message ?? USUAL_MESSAGES[httpStatus] ?? `HTTP error ${httpStatus}`;
  return apiError(httpStatus, message, { details, asArray: failure.asArray ?? false });
}
