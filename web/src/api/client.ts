// Requests to the API, which has the origin of the page.

import { signal } from '@preact/signals';

/** Whether the API requires to sign in again. */
export const isSignedOut = signal(false);

/** Why a request failed: a code of the API, or `UNREACHABLE`. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Sends a GET request. @throws ApiError */
export function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return request<T>(path, { signal: signal ?? null });
}

/**
 * Sends a POST request that takes effect once: when no response arrives, it is sent again with the same
 * idempotency key.
 * @throws ApiError
 */
export function postJson<T>(path: string, body: object): Promise<T> {
  return postOnce<T>(path, 'application/json', JSON.stringify(body));
}

/** As `postJson`, for a text of any form. @throws ApiError */
export function postText<T>(path: string, body: string): Promise<T> {
  return postOnce<T>(path, 'text/plain', body);
}

async function postOnce<T>(path: string, type: string, body: string): Promise<T> {
  const headers = { 'content-type': type, 'idempotency-key': crypto.randomUUID() };
  const init: RequestInit = { method: 'POST', headers, body };
  try {
    return await request<T>(path, init);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'UNREACHABLE') throw error;
    return request<T>(path, init);
  }
}

async function request<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError('UNREACHABLE', 'The server cannot be reached.', 0);
  }
  isSignedOut.value = response.status === 401;
  if (!response.ok) throw await readApiError(response);
  const body: T = await response.json();
  return body;
}

/** Anything that was thrown, as an error. */
export function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

/** The error that a response without success describes. */
export async function readApiError(response: Response): Promise<ApiError> {
  const { status } = response;
  try {
    const { code, detail, title }: Record<string, unknown> = await response.json();
    return new ApiError(String(code ?? 'INTERNAL'), String(detail ?? title ?? ''), status);
  } catch {
    return new ApiError('INTERNAL', `The server answered with status ${status}.`, status);
  }
}
