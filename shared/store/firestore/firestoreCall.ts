// Calls the Firestore SDK with a time limit, and translates its errors.

import { errorMessage, InquestError, RetryableError, TerminalError } from '../../core/errors.ts';
import { refusedCall } from '../refusedCall.ts';

const FIRESTORE_RIGHT = {
  role: 'roles/datastore.user on the project',
  denied: 'STORE_DENIED',
  unauthenticated: 'STORE_UNAUTHENTICATED',
} as const;

/** The gRPC status codes that are handled individually (https://grpc.io/docs/guides/status-codes/). */
export const STATUS = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;

/** Of calls that can succeed a moment later. The SDK retries some of them, which depends on the call. */
const TRANSIENT: ReadonlySet<number | undefined> = new Set([
  STATUS.CANCELLED,
  STATUS.UNKNOWN,
  STATUS.DEADLINE_EXCEEDED,
  STATUS.ABORTED,
  STATUS.INTERNAL,
  STATUS.UNAVAILABLE,
]);

/** Whether a failed call can succeed a moment later; not one that used up its time. */
export function isTransient(error: unknown): boolean {
  return error instanceof RetryableError && TRANSIENT.has(readGrpcStatus(error.cause));
}

/**
 * Runs one call with a time limit, because the SDK itself would retry for ten minutes.
 * @param action names the call in messages, for example `reading sessions/1`.
 * @throws TerminalError `DOCUMENT_INVALID` for an invalid request; RetryableError `STORE_CONFLICT` after
 *   contention, `STORE_DENIED` and `STORE_UNAUTHENTICATED` without the right to the database;
 *   `STORE_UNAVAILABLE` after `timeoutMs` milliseconds and after any other error.
 */
export async function callFirestore<T>(
  action: string,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const late = () =>
        reject(new RetryableError('STORE_UNAVAILABLE', `${action}: no answer within ${timeoutMs} ms`));
      timer = setTimeout(late, timeoutMs);
      work().then(resolve, reject);
    });
  } catch (error) {
    throw translateError(error, action);
  } finally {
    clearTimeout(timer);
  }
}

/** The `InquestError` for an error of the SDK; errors of this code are returned unchanged. */
export function translateError(error: unknown, action: string): unknown {
  if (error instanceof InquestError) return error;
  const refused = refusedCall(error, action, FIRESTORE_RIGHT);
  if (refused !== undefined) return refused;
  const message = `${action}: ${errorMessage(error)}`;
  switch (readGrpcStatus(error)) {
    case STATUS.INVALID_ARGUMENT:
      return new TerminalError('DOCUMENT_INVALID', message, { cause: error });
    case STATUS.ABORTED:
      return new RetryableError('STORE_CONFLICT', message, { cause: error });
    default:
      return new RetryableError('STORE_UNAVAILABLE', message, { cause: error });
  }
}

/** The gRPC status of an error of the SDK; undefined when it has none. */
export function readGrpcStatus(error: unknown): number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? code : undefined;
}
