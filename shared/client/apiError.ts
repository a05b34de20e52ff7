// Why a request failed.

import type { ProblemDetails } from '../api/http/problem.ts';

/** A request that was refused, failed, or got no response. Its message is the detail of the problem. */
export class ApiError extends Error {
  /**
   * As in docs/errors.md; `UNREACHABLE` without a response, `INTERNAL` for one that is no problem of the API.
   */
  readonly code: string;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** The path of the request; '' without a response. */
  readonly path: string;
  /** The problem as the API described it; undefined without a response, and for a foreign one. */
  readonly details: ProblemDetails | undefined;

  constructor(code: string, message: string, status = 0, path = '', details?: ProblemDetails) {
    super(message);
    this.code = code;
    this.status = status;
    this.path = path;
    this.details = details;
  }
}

/** The error for a request without a complete response. */
export function unreachable(message: string): ApiError {
  return new ApiError('UNREACHABLE', message);
}

/**
 * Whether the same request can succeed at once: there was no response, or the server was away for a moment.
 */
export function isLost(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 0 || error.status === 503);
}

/** The error that a response without success describes. @param path of the request. */
export async function readApiError(response: Response, path: string): Promise<ApiError> {
  const { status } = response;
  const body = (await response.json().catch(() => undefined)) as Partial<ProblemDetails> | undefined;
  if (typeof body?.code !== 'string')
    return new ApiError('INTERNAL', `The server answered with status ${status}.`, status, path);
  const { code, detail, title = '' } = body;
  return new ApiError(code, detail ?? title, status, path, body as ProblemDetails);
}
