// Requests to the API, which is where the page is from.

import { signal } from '@preact/signals';

/** Whether the API does not know who asks any more. */
export const isSignedOut = signal(false);

/** Why a request was not done: a code of the API, or that it could not be reached. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Reads an address. @throws ApiError */
export function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return request<T>(path, { signal: signal ?? null });
}

/**
 * Does something once: the request carries a key, and is sent again with the same key when the answer did not arrive.
 * @throws ApiError
 */
export async function postJson<T>(path: string, body: object): Promise<T> {
  const init: RequestInit = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify(body),
  };
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
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as T;
}

/** What an answer says that is no success. */
export async function problemOf(response: Response): Promise<ApiError> {
  const { status } = response;
  try {
    const { code, detail, title } = (await response.json()) as Record<string, unknown>;
    return new ApiError(String(code ?? 'INTERNAL'), String(detail ?? title ?? ''), status);
  } catch {
    return new ApiError('INTERNAL', `The server answered with status ${status}.`, status);
  }
}
